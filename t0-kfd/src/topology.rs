//! The GPUs of the machine as KFD describes them in sysfs, and the queue sizes that follow from a GPU's shape.
//!
//! Method: one directory per node, one `name value` pair per line of its `properties` file. Unknown names are ignored,
//! missing ones default to 0 except those without which a GPU cannot be driven.
//!
//! Source: `drivers/gpu/drm/amd/amdkfd/kfd_topology.c`, `kfd_queue.c` (Linux 6.12).

use std::collections::HashMap;
use std::path::Path;

use crate::error::KfdError;
use crate::va::PAGE;

/// Where sysfs keeps the topology.
pub const SYSFS_NODES: &str = "/sys/devices/virtual/kfd/kfd/topology/nodes";

/// All nodes, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Node 0 is usually the processor.
    pub nodes: Vec<Node>,
}

/// One node: a processor (`gpu_id` 0) or a GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Number of the node.
    pub index: u32,
    /// Number KFD knows the GPU by; 0 for a processor.
    pub gpu_id: u32,
    /// Text of the `name` file.
    pub name: String,
    /// Cores of a processor node.
    pub cpu_cores_count: u32,
    /// SIMDs of the whole GPU.
    pub simd_count: u32,
    /// SIMDs of one compute unit.
    pub simd_per_cu: u32,
    /// Shader arrays of the whole GPU.
    pub array_count: u32,
    /// Shader arrays of one shader engine.
    pub simd_arrays_per_engine: u32,
    /// Compute units of one shader array.
    pub cu_per_simd_array: u32,
    /// Waves one SIMD can hold.
    pub max_waves_per_simd: u32,
    /// Waves with scratch one compute unit can hold.
    pub max_slots_scratch_cu: u32,
    /// LDS of one workgroup, KiB.
    pub lds_size_in_kb: u32,
    /// Lanes of the native wave.
    pub wave_front_size: u32,
    /// Target: major·10000 + minor·100 + stepping, 110000 for gfx1100.
    pub gfx_target_version: u32,
    /// PCI vendor.
    pub vendor_id: u32,
    /// PCI device.
    pub device_id: u32,
    /// PCI bus, device, function.
    pub location_id: u32,
    /// PCI domain.
    pub domain: u32,
    /// N of `/dev/dri/renderDN`.
    pub drm_render_minor: u32,
    /// Compute dies.
    pub num_xcc: u32,
    /// Highest shader clock, MHz.
    pub max_engine_clk_fcompute: u32,
    /// Firmware version (low 10 bits).
    pub fw_version: u32,
    /// Capability bits; bits 13:12 are the doorbell type (2 on gfx9 and later).
    pub capability: u32,
    /// Bytes of video memory (sum of the banks).
    pub vram_bytes: u64,
    /// The host can map all of the video memory.
    pub large_bar: bool,
}

impl Node {
    /// True for a GPU.
    pub fn is_gpu(&self) -> bool {
        self.gpu_id != 0
    }

    /// True for a GPU of the RDNA3 family.
    pub fn is_gfx11(&self) -> bool {
        self.is_gpu() && self.gfx_target_version / 10000 == 11
    }

    /// `gfx1100` and the like; `cpu` for a processor.
    pub fn target(&self) -> String {
        let v = self.gfx_target_version;
        if v == 0 {
            return "cpu".into();
        }
        format!("gfx{}{:x}{:x}", v / 10000, v / 100 % 100, v % 100)
    }

    /// Compute units of one die.
    pub fn cu_count(&self) -> u32 {
        self.simd_count / self.simd_per_cu.max(1) / self.num_xcc.max(1)
    }

    /// Shader engines.
    pub fn shader_engines(&self) -> u32 {
        self.array_count / self.simd_arrays_per_engine.max(1)
    }

    /// The simulated card: a Radeon RX 7900 XTX behind PCI bus 3.
    pub fn rx7900xtx() -> Node {
        Node {
            index: 1,
            gpu_id: 45232,
            name: "gfx1100".into(),
            cpu_cores_count: 0,
            simd_count: 192,
            simd_per_cu: 2,
            array_count: 12,
            simd_arrays_per_engine: 2,
            cu_per_simd_array: 8,
            max_waves_per_simd: 16,
            max_slots_scratch_cu: 32,
            lds_size_in_kb: 64,
            wave_front_size: 32,
            gfx_target_version: 110000,
            vendor_id: 4098,
            device_id: 0x744c,
            location_id: 3 << 8,
            domain: 0,
            drm_render_minor: 128,
            num_xcc: 1,
            max_engine_clk_fcompute: 2526,
            fw_version: 550,
            capability: 0x2807_a280,
            vram_bytes: 25_149_440 << 10,
            large_bar: true,
        }
    }

    /// Reads one node directory.
    pub fn read(dir: &Path, index: u32) -> Result<Node, KfdError> {
        let gpu_id_path = dir.join("gpu_id");
        let gpu_id = parse_number(&gpu_id_path, read(&gpu_id_path)?.trim())?;
        let path = dir.join("properties");
        let p = Properties::parse(&path, &read(&path)?)?;
        let mut node = Node {
            index,
            gpu_id: u32::try_from(gpu_id).map_err(|_| bad(&gpu_id_path, "number too large".into()))?,
            name: read(&dir.join("name")).unwrap_or_default().trim().to_string(),
            cpu_cores_count: p.optional("cpu_cores_count")?,
            simd_count: p.optional("simd_count")?,
            simd_per_cu: p.optional("simd_per_cu")?,
            array_count: p.optional("array_count")?,
            simd_arrays_per_engine: p.optional("simd_arrays_per_engine")?,
            cu_per_simd_array: p.optional("cu_per_simd_array")?,
            max_waves_per_simd: p.optional("max_waves_per_simd")?,
            max_slots_scratch_cu: p.optional("max_slots_scratch_cu")?,
            lds_size_in_kb: p.optional("lds_size_in_kb")?,
            wave_front_size: p.optional("wave_front_size")?,
            gfx_target_version: p.optional("gfx_target_version")?,
            vendor_id: p.optional("vendor_id")?,
            device_id: p.optional("device_id")?,
            location_id: p.optional("location_id")?,
            domain: p.optional("domain")?,
            drm_render_minor: p.optional("drm_render_minor")?,
            num_xcc: p.optional("num_xcc")?.max(1),
            max_engine_clk_fcompute: p.optional("max_engine_clk_fcompute")?,
            fw_version: p.optional("fw_version")?,
            capability: p.optional("capability")?,
            vram_bytes: 0,
            large_bar: false,
        };
        if node.is_gpu() {
            for name in ["simd_count", "simd_per_cu", "gfx_target_version", "drm_render_minor"] {
                p.required(name)?;
            }
            node.read_banks(dir, p.optional("mem_banks_count")?)?;
        }
        Ok(node)
    }

    fn read_banks(&mut self, dir: &Path, count: u32) -> Result<(), KfdError> {
        const FB_PUBLIC: u32 = 1;
        const FB_PRIVATE: u32 = 2;
        for i in 0..count {
            let path = dir.join(format!("mem_banks/{i}/properties"));
            let p = Properties::parse(&path, &read(&path)?)?;
            let heap: u32 = p.optional("heap_type")?;
            if heap == FB_PUBLIC || heap == FB_PRIVATE {
                self.vram_bytes += p.number("size_in_bytes")?.unwrap_or(0);
                self.large_bar |= heap == FB_PUBLIC;
            }
        }
        Ok(())
    }
}

impl Topology {
    /// Reads the nodes below `dir` ([`SYSFS_NODES`] on a real machine).
    pub fn read(dir: &Path) -> Result<Topology, KfdError> {
        let mut nodes = Vec::new();
        // Nodes are numbered without gaps.
        while dir.join(nodes.len().to_string()).exists() {
            let index = nodes.len() as u32;
            let node_dir = dir.join(index.to_string());
            match Node::read(&node_dir, index) {
                Ok(node) => nodes.push(node),
                // A GPU hidden by a device control group: `gpu_id` and the rest give EPERM or read as empty.
                Err(_) if read(&node_dir.join("gpu_id")).map_or(true, |t| t.trim().is_empty()) => nodes.push(Node {
                    index,
                    name: "hidden".into(),
                    ..Node::default()
                }),
                Err(e) => return Err(e),
            }
        }
        if nodes.is_empty() {
            return Err(bad(dir, "no nodes".into()));
        }
        Ok(Topology { nodes })
    }

    /// The first RDNA3 GPU.
    pub fn first_gfx11(&self) -> Result<&Node, KfdError> {
        self.nodes.iter().find(|n| n.is_gfx11()).ok_or_else(|| {
            let found: Vec<String> = self
                .nodes
                .iter()
                .map(|n| format!("node {} ({})", n.index, n.target()))
                .collect();
            KfdError::NoGpu {
                found: found.join(", "),
            }
        })
    }
}

/// Sizes the kernel demands of a compute queue's buffers, in bytes. Linux ≥ 6.12 compares them exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSizes {
    /// Control stack; must be equal.
    pub ctl_stack: u64,
    /// Control stack plus wave data; at least this.
    pub ctx_save_restore: u64,
    /// Debugger area behind it.
    pub debug: u64,
    /// Buffer that holds both; must be equal.
    pub ctx_buffer: u64,
    /// End-of-pipe buffer; must be equal.
    pub eop: u64,
}

impl QueueSizes {
    /// Sizes for one GPU.
    pub fn of(node: &Node) -> QueueSizes {
        let cu = u64::from(node.cu_count());
        let waves = cu * 32;
        // 40-byte header, 12 bytes per wave, 8 bytes at the end.
        let ctl_stack = (40 + 12 * waves + 8).next_multiple_of(PAGE);
        // gfx1100, gfx1101 and gfx12 have 1.5 times the vector registers of other RDNA chips.
        let vgpr: u64 = match node.gfx_target_version {
            110000 | 110001 | 120000 | 120001 => 0x6_0000,
            _ => 0x4_0000,
        };
        let (sgpr, lds, hwreg) = (0x4000, 0x1_0000, 0x1000);
        let wg_data = (cu * (vgpr + sgpr + lds + hwreg)).next_multiple_of(PAGE);
        let ctx_save_restore = ctl_stack + wg_data;
        let debug = (32 * waves).next_multiple_of(64);
        let ctx_buffer = ((ctx_save_restore + debug) * u64::from(node.num_xcc.max(1))).next_multiple_of(PAGE);
        QueueSizes {
            ctl_stack,
            ctx_save_restore,
            debug,
            ctx_buffer,
            eop: 4096,
        }
    }
}

struct Properties<'a> {
    path: &'a Path,
    values: HashMap<String, u64>,
}

impl<'a> Properties<'a> {
    fn parse(path: &'a Path, text: &str) -> Result<Self, KfdError> {
        let mut values = HashMap::new();
        for line in text.lines().filter(|l| !l.trim().is_empty()) {
            let mut words = line.split_whitespace();
            let (Some(name), Some(value), None) = (words.next(), words.next(), words.next()) else {
                return Err(bad(path, format!("line {line:?} is not `name value`")));
            };
            values.insert(name.to_string(), parse_number(path, value)?);
        }
        Ok(Properties { path, values })
    }

    fn number(&self, name: &str) -> Result<Option<u64>, KfdError> {
        Ok(self.values.get(name).copied())
    }

    fn optional(&self, name: &str) -> Result<u32, KfdError> {
        let v = self.values.get(name).copied().unwrap_or(0);
        u32::try_from(v).map_err(|_| bad(self.path, format!("{name} {v} does not fit in 32 bits")))
    }

    fn required(&self, name: &str) -> Result<u32, KfdError> {
        match self.optional(name)? {
            0 => Err(bad(self.path, format!("property {name} is missing"))),
            v => Ok(v),
        }
    }
}

fn bad(path: &Path, what: String) -> KfdError {
    KfdError::Topology {
        path: path.display().to_string(),
        what,
    }
}

fn read(path: &Path) -> Result<String, KfdError> {
    std::fs::read_to_string(path).map_err(|e| bad(path, e.to_string()))
}

fn parse_number(path: &Path, text: &str) -> Result<u64, KfdError> {
    text.parse()
        .map_err(|_| bad(path, format!("{text:?} is not a decimal number")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn queue_sizes_of_the_7900_xtx() {
        let node = Node::rx7900xtx();
        assert_eq!((node.cu_count(), node.shader_engines()), (96, 6));
        let s = QueueSizes::of(&node);
        assert_eq!(s.ctl_stack, 0xa000);
        assert_eq!(s.ctx_save_restore, 0x2be_a000);
        assert_eq!(s.debug, 0x1_8000);
        assert_eq!(s.ctx_buffer, 0x2c0_2000);
        assert_eq!(s.eop, 4096);
        assert_eq!(node.target(), "gfx1100");
        assert_eq!(
            Node {
                gfx_target_version: 90010,
                gpu_id: 1,
                ..Node::default()
            }
            .target(),
            "gfx90a"
        );
    }

    struct Fixture(PathBuf);

    impl Fixture {
        fn new(name: &str) -> Self {
            let dir = std::env::temp_dir().join(format!("t0-topology-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&dir);
            Fixture(dir)
        }

        fn node(&self, i: usize, gpu_id: &str, properties: &str, banks: &[&str]) {
            let d = self.0.join(i.to_string());
            fs::create_dir_all(&d).unwrap();
            fs::write(d.join("gpu_id"), gpu_id).unwrap();
            fs::write(d.join("name"), "some\n").unwrap();
            fs::write(d.join("properties"), properties).unwrap();
            for (b, text) in banks.iter().enumerate() {
                fs::create_dir_all(d.join(format!("mem_banks/{b}"))).unwrap();
                fs::write(d.join(format!("mem_banks/{b}/properties")), text).unwrap();
            }
        }
    }

    impl Drop for Fixture {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const XTX: &str =
        "simd_count 192\nmem_banks_count 1\nsimd_id_base 2147487744\nmax_waves_per_simd 16\narray_count 12\n\
        simd_arrays_per_engine 2\nsimd_per_cu 2\nmax_slots_scratch_cu 32\ngfx_target_version 110000\nvendor_id 4098\n\
        device_id 29772\ndrm_render_minor 129\nunique_id 18446744073709551615\nsomething_new 5\nnum_xcc 1\n";
    const IGPU: &str = "simd_count 4\nsimd_per_cu 2\ngfx_target_version 100306\ndrm_render_minor 128\n";

    #[test]
    fn finds_the_discrete_card_behind_processor_integrated_and_hidden_gpu() {
        let f = Fixture::new("apu");
        f.node(0, "0\n", "cpu_cores_count 16\nsimd_count 0\n", &[]);
        f.node(1, "1111\n", IGPU, &[]);
        f.node(2, "", "", &[]);
        f.node(
            3,
            "45232\n",
            XTX,
            &["heap_type 1\nsize_in_bytes 25753026560\nflags 0\n"],
        );
        let t = Topology::read(&f.0).unwrap();
        assert_eq!(t.nodes.len(), 4);
        let n = t.first_gfx11().unwrap();
        assert_eq!(
            (n.index, n.gpu_id, n.drm_render_minor, n.cu_count()),
            (3, 45232, 129, 96)
        );
        assert_eq!((n.vram_bytes, n.large_bar), (25_753_026_560, true));
    }

    #[test]
    fn errors_name_file_and_fault() {
        let f = Fixture::new("bad");
        f.node(0, "0\n", "cpu_cores_count 16\n", &[]);
        f.node(1, "1111\n", IGPU, &[]);
        let e = Topology::read(&f.0).unwrap().first_gfx11().unwrap_err().to_string();
        assert!(e.contains("node 0 (cpu), node 1 (gfx1036)"), "{e}");
        f.node(
            1,
            "1111\n",
            "simd_count 4\nsimd_per_cu 2\ngfx_target_version 110000\n",
            &[],
        );
        let e = Topology::read(&f.0).unwrap_err().to_string();
        assert!(e.contains("1/properties: property drm_render_minor is missing"), "{e}");
        f.node(1, "1111\n", "simd_count many\n", &[]);
        let e = Topology::read(&f.0).unwrap_err().to_string();
        assert!(e.contains("\"many\" is not a decimal number"), "{e}");
        assert!(Topology::read(Path::new("/nonexistent"))
            .unwrap_err()
            .to_string()
            .contains("no nodes"));
    }
}
