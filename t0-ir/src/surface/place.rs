//! Where a work-item is.

/// The workgroup.
pub mod group {
    use crate::op::OpKind;
    use crate::surface::device_fn;

    device_fn! {
        /// Index of the workgroup along x.
        id() -> usize => |s, _| s.whereabouts(OpKind::GroupId { axis: 0 })
    }
    device_fn! {
        /// Index of the workgroup along y.
        id_y() -> usize => |s, _| s.whereabouts(OpKind::GroupId { axis: 1 })
    }
    device_fn! {
        /// Number of work-items in a workgroup.
        size() -> usize => |s, _| s.group_size()
    }
    device_fn! {
        /// Number of workgroups along x.
        count() -> usize => |s, _| s.whereabouts(OpKind::GroupCount { axis: 0 })
    }
    device_fn! {
        /// Every wave of the group arrives before any goes on; what was written to LDS before is visible after it.
        /// All waves of the group must reach it.
        barrier() => |s, _| s.barrier()
    }
}

/// The lane.
pub mod lane {
    use crate::op::OpKind;
    use crate::surface::device_fn;

    device_fn! {
        /// Index of the lane in its wave: 0 … 31.
        id() -> usize => |s, _| s.whereabouts(OpKind::LaneId)
    }
}

/// The work-item.
pub mod thread {
    use crate::op::OpKind;
    use crate::surface::device_fn;

    device_fn! {
        /// Index of the work-item in the grid along x: `group::id() · group::size() + thread::local()`.
        index() -> usize => |s, _| s.thread()
    }
    device_fn! {
        /// Index of the work-item in its workgroup.
        local() -> usize => |s, _| s.whereabouts(OpKind::LocalId)
    }
}
