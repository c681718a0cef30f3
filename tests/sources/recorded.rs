sources! {
    s0_8(a, b) {
        let mut v1: u32 = (a.wrapping_sub(a).wrapping_add((b >> (a & 31))) >> (65535u32.wrapping_rem(b | 1).wrapping_sub((255u32 ^ b)) & 31));
        let mut v2: i32 = (if true { ((b as i32) & (a as i32).min((-100i32))) } else { ((b as f32) as i32) });
        match (if (a > 100u32) { b } else { 255u32 }) & 3 {
            0 => {
                let mut v3: u32 = (if false { a } else { (v1 % 3u32) }).min((((b as f32) - (b as f32)).max(-1.0e9f32).min(1.0e9f32) as u32));
                let mut v4: u16 = (if (a > 100u32) { (if ((a as u16) <= (a as u16)) { (if (a > 100u32) { (b as u16) } else { (a as u16) }) } else { (b as u16).max(3u16) }) } else { (if (a > 100u32) { (b as u16) } else { (b as u16) }).wrapping_mul((2u16 | (a as u16))) });
                let v5: u32 = b;
                bump(&mut v3, v5);
            }
            1 | 2 => {
                if ((b > 100u32) || ((a as u8) == (b as u8))) {
                    let mut v6: u32 = (((if (b > 100u32) { v1 } else { 100u32 }) ^ b.wrapping_sub(a)) | ((b > 100u32) as u32).trailing_zeros());
                    let mut v7: u32 = 0;
                    while v7 < 4 && ((b as u8) <= (b as u8)) {
                        v7 += 1;
                        let mut v8: u32 = (v6 << (b.leading_zeros().min((if (a > 100u32) { v1 } else { v6 })) & 31));
                    }
                } else {
                    let v9: u32 = ((a as u8) as u32);
                    let v10: u64 = (a as u64);
                }
                let mut v11: [u8; 4] = [(1u8 / 48u8), (b as u8).min((a as u8)), 3u8.wrapping_add(0u8), ((b as u8) ^ (b as u8))];
                v11[((b ^ v1) & 3) as usize] = (a as u8).max((b as u8));
                let v12: u8 = v11[((a | v1) & 3) as usize];
            }
            _ => {
                v2 = 2147483647i32;
                match (3.0e-5f32 as u32) & 3 {
                    0 => {
                        for v13 in (0u32..((!2u32) & 7)).step_by(3) {
                            v1 &= b;
                            let v14: u32 = (!a.count_ones());
                            bump(&mut v1, v14);
                        }
                        let mut v15: u16 = 65535u16;
                    }
                    1 | 2 => {
                        let mut v16: u8 = (if ((b as u8) != 3u8) { (100u8 % 3u8) } else { (a as u8) }).wrapping_add(1u8);
                        for v17 in 0u32..(1u32.max(b) & 7) {
                            let v18: u32 = b.wrapping_sub(b).wrapping_sub(b.wrapping_add(v17)).wrapping_mul(255u32.wrapping_div(1000u32 | 1).max(0u32));
                            let mut v19: [u32; 4] = [a, a, v18.min(a), b.wrapping_add(1000u32)];
                            v19[(v18 & 3) as usize] = b;
                            let v20: u32 = v19[((if (a > 100u32) { v18 } else { v1 }) & 3) as usize];
                            let mut v21: u64 = (!(1000u64 >> (v17 & 63)).wrapping_sub((65535u64 & (a as u64))));
                        }
                    }
                    _ => {
                        v1 |= (v1 % 10u32).min(b.max(b)).wrapping_sub(b);
                        let mut v22: bool = (((a as f32) - (a as f32)).max(-1.0e9f32).min(1.0e9f32).abs().sqrt().max(-1.0e9f32).min(1.0e9f32) <= ((a as f32) * ((256u32 & 0xffff) as f32)).max(-1.0e9f32).min(1.0e9f32));
                        let v23: i32 = (v2.wrapping_rem(v2 | 1).wrapping_sub((!7i32)) ^ (if (v1 >= a) { v2.wrapping_rem(v2 | 1) } else { (v2 | v2) }));
                    }
                }
            }
        }
        let mut v24: u16 = (if !(1u64 >= (a as u64)) { (b as u16) } else { (if (a > 100u32) { (b as u16) } else { (a as u16) }).wrapping_sub((a as u16).wrapping_rem((b as u16) | 1)) });
        let mut v25: u32 = ((if (v24 > v24) { (a >= 0u32) } else { ((a > 100u32) || (b > 100u32)) }) as u32);
        v25 ^= ((if (b > 100u32) { v25 } else { v1 }) << (b.trailing_zeros() & 31)).min(a);
        let mut v26: u32 = 31u32.wrapping_sub(256u32).min((!v1)).wrapping_div(((if true { 2u32 } else { a }) / 7u32) | 1);
        let mut v27: i32 = ((v2 ^ v2).max((v2 as i32)) % 10i32);
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v1).wrapping_mul(31).wrapping_add(v2 as u32).wrapping_mul(31).wrapping_add(v24 as u32).wrapping_mul(31).wrapping_add(v25).wrapping_mul(31).wrapping_add(v26).wrapping_mul(31).wrapping_add(v27 as u32)
    }
    s1_8(a, b) {
        let mut v1: bool = false;
        let mut v2: u32 = 0;
        while v2 < 5 && v1 {
            v2 += 1;
            let mut v3: u32 = 0;
            while v3 < 5 && (v1 && v1) {
                v3 += 1;
                let v4: u8 = (((a as u8).wrapping_sub((a as u8)) << ((1000u32 ^ a) & 7)) | (!(if v1 { (a as u8) } else { (a as u8) })));
            }
        }
        let mut v5: u16 = ((b as u16) >> (((b as i32) as u32) & 15)).min((((a as u16) as u16) | ((a as u16) ^ (b as u16))));
        v1 = (if (v1 ^ (if v1 { v1 } else { v1 })) { (((a as f32) * (b as f32)).max(-1.0e9f32).min(1.0e9f32) == (if v1 { (a as f32) } else { (a as f32) })) } else { ((b as u8).wrapping_div((a as u8) | 1) >= (b as u8).wrapping_sub((a as u8))) });
        let v6: u32 = (((if true { 1000u32 } else { b }) % 3u32) | (!a).min((b % 7u32)));
        let mut v7: f32 = (if (v1 == v1) { (a as f32).floor().max(-1.0e9f32).min(1.0e9f32) } else { ((b as f32) / (3.0e-5f32 * 3.0e-5f32 + 1.0f32)).max(-1.0e9f32).min(1.0e9f32) }).abs().sqrt().max(-1.0e9f32).min(1.0e9f32);
        v7 = 3.0e-5f32;
        match (v6 >> (31u32 & 31)) & 3 {
            0 => {
                let mut v8: i32 = ((if ((b as i32) >= (a as i32)) { ((a as i32) | (b as i32)) } else { ((b as i32) ^ (a as i32)) }) / 48i32);
                v7 = (v8.min((-100i32).wrapping_div(v8 | 1)) as f32);
                let mut v9: u64 = ((a as u64).max((v5 as u64)) | (!65535u64.max((b as u64))));
            }
            1 | 2 => {
                let mut v10: [i32; 4] = [(b as i32).wrapping_mul((a as i32)), (a as i32).min((a as i32)), ((-100i32) & (-100i32)), (a as i32).wrapping_add(7i32)];
                v10[(b & 3) as usize] = (v5 as i32);
                let v11: i32 = v10[(1000u32.min(v6) & 3) as usize];
                let v12: u64 = (if (v1 == v1) { ((a as u64) & (a as u64)) } else { (b as u64).wrapping_add((b as u64)) }).wrapping_mul((a as u64));
            }
            _ => {
                if (7i32 != ((a as i32) ^ 1i32)) {
                    let mut v13: bool = ((65535u32.wrapping_rem(v6 | 1) >= b.wrapping_div(31u32 | 1)) || (((a as u64) as u16) <= v5.wrapping_add(v5)));
                    let v14: bool = (!v13 ^ true);
                } else {
                    if ((if false { 1u8 } else { (b as u8) }) == (b as u8).wrapping_mul(1u8)) {
                        let mut v15: i32 = ((b as i32).wrapping_rem((a as i32) | 1).wrapping_mul(7i32) ^ (a as i32));
                        let mut v16: u32 = v6.wrapping_add(a).min(v6.wrapping_div(b | 1));
                        let mut v17: u32 = (!a.wrapping_mul(0u32)).wrapping_sub((a.wrapping_sub(v6) ^ (!a)));
                    }
                    let mut v18: u32 = (a.wrapping_rem(v6 | 1) >> (a & 31));
                    if ((v7 > v7) == ((a as i32) >= (b as i32))) {
                        v18 &= (!a);
                    }
                }
            }
        }
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v1 as u32).wrapping_mul(31).wrapping_add(v5 as u32).wrapping_mul(31).wrapping_add(v6).wrapping_mul(31).wrapping_add(v7.to_bits())
    }
    s2_8(a, b) {
        let mut v1: [u8; 4] = [((b as i32) as u8), ((a as i32) as u8), (a as u8).wrapping_div((a as u8) | 1), ((b as u8) & (a as u8))];
        v1[((b >> (3u32 & 31)) & 3) as usize] = ((b as i32) as u8);
        let v2: u8 = v1[((a & b) & 3) as usize];
        let v3: u32 = (a.trailing_zeros().wrapping_rem(b.leading_zeros() | 1) >> (b.min(b.wrapping_add(b)) & 31));
        let v4: u32 = v3.wrapping_mul(b);
        let mut v5: u32 = 255u32;
        let mut v6: i32 = (if false { (b as i32) } else { (a as i32) }).wrapping_rem((if (a > 100u32) { (b as i32) } else { (b as i32) }) | 1).max((!((a as i32) & (a as i32))));
        match a.min(v5) & 3 {
            0 => {
                v5 = a;
                v6 |= (((v6 as i32) | (if (b > 100u32) { v6 } else { v6 })) ^ v6);
                match (if (a > 100u32) { v3 } else { v5 }) & 3 {
                    0 => {
                        let v7: u32 = (v4 >> (v5 & 31)).wrapping_rem(v5.wrapping_div(a | 1) | 1);
                        bump(&mut v5, v7);
                        for v8 in (1u32..((if (b > 100u32) { b } else { 100u32 }) & 7)).rev() {
                            let mut v9: bool = (if (a > 100u32) { ((a as u16).wrapping_div(3u16 | 1) <= ((a as u16) as u16)) } else { (v5.wrapping_rem(v5 | 1) >= a.wrapping_rem(v3 | 1)) });
                            let mut v10: u32 = (!v3).min((if v9 { v8 } else { v3 })).min(v3.wrapping_add(v4.wrapping_mul(v3)));
                        }
                    }
                    1 | 2 => {
                        let mut v11: f32 = ((((b as f32) - (-2.5f32)).max(-1.0e9f32).min(1.0e9f32) / (((v5 & 0xffff) as f32) * ((v5 & 0xffff) as f32) + 1.0f32)).max(-1.0e9f32).min(1.0e9f32) + ((v5 & 0xffff) as f32).floor().max(-1.0e9f32).min(1.0e9f32)).max(-1.0e9f32).min(1.0e9f32);
                    }
                    _ => {
                        match b.wrapping_rem(v4 | 1) & 3 {
                            0 => {
                                let mut v12: u8 = v2;
                            }
                            1 | 2 => {
                                let v13: f32 = (if ((v6 <= v6) == ((b as u16) >= (b as u16))) { ((v3 & 0xffff) as f32).floor().max(-1.0e9f32).min(1.0e9f32) } else { (((b as f32) - (a as f32)).max(-1.0e9f32).min(1.0e9f32) - (a as f32)).max(-1.0e9f32).min(1.0e9f32) });
                                let v14: u32 = (v5 << (b & 31)).wrapping_mul(b.leading_zeros());
                                bump(&mut v5, v14);
                            }
                            _ => {
                                v5 &= a.trailing_zeros();
                                let mut v15: f32 = (b as f32);
                                let mut v16: u8 = (((1u8 | 255u8) >> (v5.wrapping_sub(v3) & 7)) << (v3.wrapping_sub(v3).wrapping_div(v5.trailing_zeros() | 1) & 7));
                            }
                        }
                        v5 = (if ((b as f32) >= (b as f32)) { a.wrapping_add(3u32) } else { b.max(b) }).wrapping_rem(v5.wrapping_sub(v4) | 1);
                        let mut v17: u16 = (1u16 & (b as u16)).wrapping_sub((b as u16).max(0u16)).max((b as u16));
                    }
                }
            }
            1 | 2 => {
                let v18: u32 = (!b).min((if true { 1000u32 } else { v4 }));
                bump(&mut v5, v18);
            }
            _ => {
                if !(a > 100u32) { return ((v4 | b) << (1u32.wrapping_add(1000u32) & 31)); }
            }
        }
        match (if (b > 100u32) { v3 } else { 0u32 }) & 3 {
            0 => {
                let v19: u64 = 256u64;
            }
            1 | 2 => {
                let mut v20: i32 = ((!v6) >> ((v5 | v4) & 31)).wrapping_add(7i32);
                let mut v21: u16 = (((b as u16) | 65535u16) << (v5.leading_zeros() & 15)).wrapping_div(((b as u16).wrapping_mul((a as u16)) | (!(a as u16))) | 1);
                for v22 in (2u32..6).step_by(3) {
                    let v23: u8 = v2;
                    v5 ^= (v3 << ((if (a > 100u32) { b } else { b }) & 31)).wrapping_rem((v23.wrapping_rem(v2 | 1) as u32) | 1);
                    if (((b > 100u32) && (b > 100u32)) && (if (a > 100u32) { (a > 100u32) } else { (b > 100u32) })) {
                        let mut v24: u32 = ((v3 % 10u32) >> ((1000u32 ^ (1u32 / 3u32)) & 31));
                        let mut v25: f32 = (if ((a as u64) != (b as u64)) { (a as f32).mul_add((a as f32), 0.5f32).max(-1.0e9f32).min(1.0e9f32) } else { ((0u32 & 0xffff) as f32) }).floor().max(-1.0e9f32).min(1.0e9f32);
                    }
                }
            }
            _ => {
                let v26: u32 = v5;
                bump(&mut v5, v26);
            }
        }
        for v27 in (1u32..((v4 ^ a) & 7)).step_by(3) {
            let mut v28: bool = (if ((a as u64) >= ((b as u64) | (b as u64))) { (((b > 100u32) as u8) > (if true { v2 } else { v2 })) } else { (b > 100u32) });
            if ((if v28 { v28 } else { v28 }) && (if v28 { v28 } else { v28 })) {
                if (((-2.5f32) < (a as f32)) && (v6 != v6)) {
                    v6 = (if (b <= (if v28 { v5 } else { b })) { (v6 ^ v6).wrapping_rem((v6 / 3i32) | 1) } else { v6.wrapping_mul(v6.max(v6)) });
                }
                let mut v29: [u8; 4] = [1u8.max(v2), v2, v2.wrapping_div(2u8 | 1), (31u8 | 3u8)];
                v29[(((a as u64) as u32) & 3) as usize] = (v2 >> (a & 7));
                let v30: u8 = v29[((a << (v3 & 31)) & 3) as usize];
            }
            let mut v31: u32 = (b & (!v3));
        }
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v2 as u32).wrapping_mul(31).wrapping_add(v3).wrapping_mul(31).wrapping_add(v4).wrapping_mul(31).wrapping_add(v5).wrapping_mul(31).wrapping_add(v6 as u32)
    }
    s3_8(a, b) {
        let mut v1: u32 = a.count_ones().wrapping_sub(a).wrapping_add((!b.wrapping_sub(b)));
        let v2: i32 = (if (if ((b as u64) > (b as u64)) { true } else { ((a > 100u32) == (b > 100u32)) }) { (a as i32) } else { (b as i32) });
        let mut v3: u16 = (a as u16);
        let mut v4: u32 = (100u32.wrapping_mul(b).wrapping_add((v1 ^ a)) ^ (!(a | b)));
        let mut v5: u64 = (if (7i32.wrapping_add(v2) == (65536i32 & v2)) { (if (a > 100u32) { 255u64 } else { ((b as u64) ^ (b as u64)) }) } else { ((b as u64).wrapping_sub((b as u64)) >> ((if true { a } else { b }) & 63)) });
        let v6: u16 = (65535u16.wrapping_rem(v3 | 1) / 3u16);
        for v7 in 0u32..(100u32.wrapping_rem(a | 1) & 7) {
            let mut v8: u16 = v6.wrapping_mul(v3).wrapping_mul((v3 as u16)).wrapping_sub(((!v6) ^ v3));
            let mut v9: u32 = 0;
            while v9 < 5 && (v2 == v2) {
                v9 += 1;
                v5 |= (if (100u16 > v6) { v5.wrapping_add(v5) } else { v5.wrapping_sub(v5) }).wrapping_add(v5.max((v5 as u64)));
            }
        }
        if ((v5 | 255u64) > v5.min(65535u64)) {
            let mut v10: i32 = (v2 >> (b.wrapping_rem(a | 1) & 31)).max(((1000u64 as u16) as i32));
        }
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v1).wrapping_mul(31).wrapping_add(v2 as u32).wrapping_mul(31).wrapping_add(v3 as u32).wrapping_mul(31).wrapping_add(v4).wrapping_mul(31).wrapping_add((v5 ^ (v5 >> 32)) as u32).wrapping_mul(31).wrapping_add(v6 as u32)
    }
    s4_8(a, b) {
        let mut v1: u64 = ((a as u64) | ((a as u64) ^ (b as u64)).wrapping_add(((b as u64) >> (b & 63))));
        let mut v2: i32 = ((if (a > 100u32) { (b as i32) } else { (a as i32) }) ^ (b as i32).wrapping_div(2147483647i32 | 1)).wrapping_rem(((b as i32) << (b & 31)).wrapping_rem((b as i32).wrapping_add((a as i32)) | 1) | 1);
        let mut v3: u32 = 0;
        while v3 < 1 && ((a > 100u32) && (b > 100u32)) {
            v3 += 1;
            let mut v4: u8 = (a as u8).max(1u8);
            if (1u64.wrapping_sub(3u64) < (v1 & v1)) {
                v2 |= v2;
            } else {
                if true {
                    let mut v5: bool = (b <= (if true { b } else { a }).wrapping_mul((b ^ a)));
                }
                let mut v6: u32 = b;
            }
        }
        let mut v7: u32 = (b.wrapping_div(b | 1) ^ a);
        let mut v8: u8 = (b as u8).wrapping_rem(((b as u8) as u8).wrapping_sub(((b as u8) & (a as u8))) | 1);
        let mut v9: bool = ((v8.wrapping_rem(31u8 | 1) & v8) >= (if false { v8 } else { v8 }).wrapping_rem((v8 ^ 2u8) | 1));
        v9 = ((if (v9 || v9) { a } else { v7.min(b) }) != ((!b) & b.min(v7)));
        for v10 in (1u32..0).rev() {
            let mut v11: u64 = (((v1 | v1) | (v1 | v1)) & ((v1 & 256u64) & 1000u64.min(100u64)));
            let mut v12: i32 = v2.wrapping_sub(v2).min((1i32 / 100i32)).min((-100i32).wrapping_rem((v2 & v2) | 1));
        }
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add((v1 ^ (v1 >> 32)) as u32).wrapping_mul(31).wrapping_add(v2 as u32).wrapping_mul(31).wrapping_add(v7).wrapping_mul(31).wrapping_add(v8 as u32).wrapping_mul(31).wrapping_add(v9 as u32)
    }
    s5_8(a, b) {
        let mut v1: i32 = ((65536i32 % 10i32) ^ ((b as i32) % 100i32)).wrapping_sub(((b as i32).wrapping_div(1i32 | 1) | ((a as i32) >> (b & 31))));
        let mut v2: [i32; 4] = [(if (b > 100u32) { v1 } else { (-1i32) }), v1, 2147483647i32.wrapping_add(v1), (!v1)];
        v2[(b.max(a) & 3) as usize] = ((a as u8) as i32);
        let v3: i32 = v2[(b.wrapping_sub(a) & 3) as usize];
        if ((b >= b) && ((a as f32) < 3.0e-5f32)) {
            for v4 in (1u32..1).step_by(1) {
                let mut v5: bool = ((b as u64) < (b as u64));
                let mut v6: u16 = (b as u16);
                if ((v4 <= v4) ^ (if v5 { v5 } else { v5 })) {
                    v5 = ((v5 && (v5 || false)) == (((b as u64) << (a & 63)) < ((b as u64) ^ (a as u64))));
                    let v7: u8 = (b as u8);
                    let v8: f32 = (((a as f32) - (a as f32)).max(-1.0e9f32).min(1.0e9f32).floor().max(-1.0e9f32).min(1.0e9f32) + (b as f32)).max(-1.0e9f32).min(1.0e9f32);
                }
            }
        }
        let mut v9: u16 = ((b as u16).wrapping_mul((b as u16)) >> ((a << (a & 31)) & 15)).wrapping_div(((a as u16) % 3u16).wrapping_mul(((b as u16) << (a & 15))) | 1);
        let mut v10: u32 = 0;
        while v10 < 4 && (a != 256u32) {
            v10 += 1;
            let mut v11: u8 = (256u32 as u8).wrapping_div((b as u8).wrapping_add((a as u8)) | 1).wrapping_div(((a as u8) | (b as u8)).wrapping_rem((2u8 >> (3u32 & 7)) | 1) | 1);
            let mut v12: u32 = (if ((a as u64) <= (a as u64)) { a } else { (0u32 ^ b) });
        }
        let mut v13: u8 = (a as u8);
        let mut v14: bool = (if !((a as u64) < (b as u64)) { (((b > 100u32) && false) && ((b as u64) == (a as u64))) } else { (((a & 0xffff) as f32) <= (if (b > 100u32) { (b as f32) } else { (b as f32) })) });
        let mut v15: f32 = 1.0f32;
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v1 as u32).wrapping_mul(31).wrapping_add(v3 as u32).wrapping_mul(31).wrapping_add(v9 as u32).wrapping_mul(31).wrapping_add(v13 as u32).wrapping_mul(31).wrapping_add(v14 as u32).wrapping_mul(31).wrapping_add(v15.to_bits())
    }
    s6_8(a, b) {
        let mut v1: i32 = (if (if (b > 100u32) { !(b > 100u32) } else { (a > 100u32) }) { (if (a > 100u32) { (b as i32) } else { (a as i32) }).wrapping_sub((!(a as i32))) } else { (if (a != a) { (a as i32).wrapping_add((b as i32)) } else { (if (b > 100u32) { 0i32 } else { (b as i32) }) }) });
        let mut v2: bool = (b >= a);
        if (v2 || (3.0e-5f32 < (a as f32))) {
            let v3: bool = ((v1 & v1).wrapping_add(((b as u8) as i32)) >= (v1 ^ (if false { v1 } else { v1 })));
            let mut v4: u64 = (b as u64).max(((b as u64) ^ (b as u64))).wrapping_add((if (v3 || true) { 31u64 } else { (if v3 { (a as u64) } else { (a as u64) }) }));
            let mut v5: u32 = ((0u32.max(b) << ((!a) & 31)) / 100u32);
        }
        let mut v6: u32 = a.min(a).wrapping_add((if v2 { b } else { a })).wrapping_add(b.max(b).wrapping_add(1000u32.min(a)));
        let mut v7: u8 = 100u8;
        let mut v8: u8 = 0u8.wrapping_sub(v7).max((if v2 { v7 } else { v7 })).max((v6 as u8).wrapping_rem(((b as u16) as u8) | 1));
        if (v7.max(v7) <= (if true { v7 } else { 0u8 })) {
            for v9 in (2u32..((a / 100u32) & 7)).rev() {
                for v10 in (2u32..((if v2 { v6 } else { b }) & 7)).step_by(2) {
                    let v11: u64 = ((!(a as u64)) ^ (if false { (a as u64) } else { (a as u64) }).max((a as u64)));
                }
            }
            let mut v12: u32 = (!b.count_ones().wrapping_add(a));
            let mut v13: u16 = ((((b as u16) << (a & 15)) / 10u16) | (a as u16).wrapping_add((a as u16)).wrapping_rem((a as u16).wrapping_add((b as u16)) | 1));
        } else {
            let v14: u32 = (((a >> (a & 31)) % 100u32) | a.trailing_zeros().wrapping_mul((if v2 { a } else { v6 })));
            let mut v15: u32 = 0;
            while v15 < 5 && (v1 < v1) {
                v15 += 1;
                if v2 { break; }
                let mut v16: u32 = (!a.trailing_zeros().max(a.wrapping_mul(v14)));
            }
        }
        let mut v17: u64 = (b as u64).wrapping_sub((a as u64));
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v1 as u32).wrapping_mul(31).wrapping_add(v2 as u32).wrapping_mul(31).wrapping_add(v6).wrapping_mul(31).wrapping_add(v7 as u32).wrapping_mul(31).wrapping_add(v8 as u32).wrapping_mul(31).wrapping_add((v17 ^ (v17 >> 32)) as u32)
    }
    s7_8(a, b) {
        let mut v1: i32 = (((0i32 << (100u32 & 31)) & (if (b > 100u32) { (b as i32) } else { 0i32 })) & (-100i32));
        let mut v2: u32 = (if (v1 == v1.wrapping_add(v1)) { a.leading_zeros().wrapping_div(b | 1) } else { a.min(a).wrapping_rem((if (b > 100u32) { a } else { a }) | 1) });
        let mut v3: u64 = (a as u64);
        match a.wrapping_rem(a | 1) & 3 {
            0 => {
                let mut v4: u16 = ((if (v3 < v3) { (if (b > 100u32) { 100u16 } else { (b as u16) }) } else { (!100u16) }) << ((b | (if false { a } else { a })) & 15));
                let mut v5: u16 = (!(65535u16 ^ 1000u16.wrapping_sub(v4)));
            }
            1 | 2 => {
                if (((-1i32) as f32) == ((a as f32) + (a as f32)).max(-1.0e9f32).min(1.0e9f32)) {
                    let v6: u32 = (((a > 100u32) && false) as u32);
                    bump(&mut v2, v6);
                    if ((a as u16).wrapping_div(1000u16 | 1) <= (a as u16)) {
                        let mut v7: f32 = (if (v1 >= 2147483647i32) { ((b as f32) / ((a as f32) * (a as f32) + 1.0f32)).max(-1.0e9f32).min(1.0e9f32) } else { ((a & 0xffff) as f32) }).floor().max(-1.0e9f32).min(1.0e9f32);
                    } else {
                        let v8: f32 = ((a.wrapping_add(a).min(a) & 0xffff) as f32);
                        let mut v9: [f32; 4] = [(3.0e-5f32 / (v8 * v8 + 1.0f32)).max(-1.0e9f32).min(1.0e9f32), 3.0e-5f32, (if (b > 100u32) { v8 } else { v8 }), v8.floor().max(-1.0e9f32).min(1.0e9f32)];
                        v9[((if (a > 100u32) { b } else { 65535u32 }) & 3) as usize] = 0.0f32.abs().sqrt().max(-1.0e9f32).min(1.0e9f32);
                        let v10: f32 = v9[((a >> (b & 31)) & 3) as usize];
                        let mut v11: i32 = v1.min(v1).wrapping_div(7i32.max(v1) | 1).wrapping_mul(v1);
                    }
                } else {
                    if (v1 <= v1) { return (if (65535u64 < v3) { 31u32 } else { a.min(v2) }); }
                    for v12 in (1u32..((if (b > 100u32) { b } else { v2 }) & 7)).step_by(2) {
                        let mut v13: u16 = (if (b > 100u32) { (a as u16) } else { (a as u16) }).wrapping_rem((!(a as u16)) | 1).wrapping_div(((b as u16).max((a as u16)) & ((b as u16) >> (b & 15))) | 1);
                        if !true { break; }
                    }
                }
            }
            _ => {
                let mut v14: [u8; 4] = [(if false { (b as u8) } else { (a as u8) }), (if (a > 100u32) { (b as u8) } else { (a as u8) }), ((a as u8) & (a as u8)), ((a as u16) as u8)];
                v14[(v2.trailing_zeros() & 3) as usize] = (!(a as u8));
                let v15: u8 = v14[((!100u32) & 3) as usize];
            }
        }
        if (((b as f32) - (a as f32)).max(-1.0e9f32).min(1.0e9f32) != (if true { (b as f32) } else { (a as f32) })) {
            if (if ((b as f32) > (a as f32)) { ((b as u8) != 2u8) } else { (v1 == v1) }) {
                let v16: u32 = 256u32.wrapping_sub((b | 256u32));
                bump(&mut v2, v16);
                let mut v17: [i32; 4] = [v1.wrapping_sub(v1), v1, v1.min(v1), (v1 & v1)];
                v17[(b.wrapping_rem(255u32 | 1) & 3) as usize] = v1.wrapping_add(v1);
                let v18: i32 = v17[(v2.max(a) & 3) as usize];
                let mut v19: u16 = (if true { (a as u16).wrapping_sub((a as u16)) } else { (a as u16) }).wrapping_add((!(a as u16).wrapping_sub((b as u16))));
            } else {
                let mut v20: u32 = 0;
                while v20 < 4 && (2u16 < (b as u16)) {
                    v20 += 1;
                    let mut v21: f32 = (-2.5f32);
                }
                for v22 in 1u32..(a.wrapping_sub(a) & 7) {
                    v1 ^= ((v1.min(v1) | v1.min(v1)) << (255u32.wrapping_div(b.max(v2) | 1) & 31));
                    let mut v23: [u8; 4] = [(a as u8), (b as u8).wrapping_rem((b as u8) | 1), (b as u8).max((b as u8)), ((a as u8) | (b as u8))];
                    v23[((if (a > 100u32) { b } else { v2 }) & 3) as usize] = 2u8;
                    let v24: u8 = v23[((v22 % 100u32) & 3) as usize];
                }
                let mut v25: u16 = ((if (a > 100u32) { (v2 as u16) } else { 256u16 }) << (((b & a) % 7u32) & 15));
            }
        }
        let v26: u16 = (if ((1i32 > v1) || ((b as f32) > (a as f32))) { (a as u16) } else { (!(b as u16).wrapping_add((a as u16))) });
        match (b & b) & 3 {
            0 => {
                match (if (b > 100u32) { a } else { 65535u32 }) & 3 {
                    0 => {
                        let mut v27: u32 = b.max(0u32).wrapping_rem(v2.wrapping_rem(a | 1) | 1).wrapping_mul(a.wrapping_mul((a | v2)));
                    }
                    1 | 2 => {
                        v1 = (v1 & v1).wrapping_add(7i32.wrapping_add(v1)).min(((if (a > 100u32) { v1 } else { v1 }) / 100i32));
                        for v28 in (2u32..0).step_by(1) {
                            let v29: u16 = ((b >> (1000u32 & 31)) as u16).wrapping_add((256u16 & 256u16).wrapping_mul((v26 % 48u16)));
                        }
                    }
                    _ => {
                        if (if (a > 100u32) { (a > 100u32) } else { (a > 100u32) }) { return ((if (b > 100u32) { b } else { v2 }) | 1u32.wrapping_div(b | 1)); }
                    }
                }
                let mut v30: u16 = v26;
            }
            1 | 2 => {
                let mut v31: bool = ((65535u16.wrapping_rem(v26 | 1) < v26.wrapping_rem(v26 | 1)) ^ (a > 100u32));
                let mut v32: bool = (((a as u8) & ((b as u8) ^ (b as u8))) != (b as u8).wrapping_rem((a as u8) | 1).min((a as u8)));
                let v33: u16 = (!v26.wrapping_rem(100u16 | 1)).wrapping_mul(v26);
            }
            _ => {
                let mut v34: u32 = ((if (a > 100u32) { b.wrapping_add(v2) } else { (if (a > 100u32) { v2 } else { b }) }) ^ ((if (a > 100u32) { a } else { b }) ^ (if (a > 100u32) { v2 } else { a })));
            }
        }
        let mut v35: u32 = (if (v26 <= v26) { (1u32 >> (b & 31)) } else { (a | a) }).wrapping_mul((!1000u32.max(a)));
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v1 as u32).wrapping_mul(31).wrapping_add(v2).wrapping_mul(31).wrapping_add((v3 ^ (v3 >> 32)) as u32).wrapping_mul(31).wrapping_add(v26 as u32).wrapping_mul(31).wrapping_add(v35)
    }
    s8_8(a, b) {
        let mut v1: [i32; 4] = [(a as i32), ((b as i32) & 65536i32), (2147483647i32 % 7i32), (!(a as i32))];
        v1[(255u32.wrapping_add(1u32) & 3) as usize] = (a as i32).wrapping_mul((a as i32));
        let v2: i32 = v1[((!255u32) & 3) as usize];
        let mut v3: f32 = (b as f32).mul_add(((a as f32) - ((b as f32) + (b as f32)).max(-1.0e9f32).min(1.0e9f32)).max(-1.0e9f32).min(1.0e9f32), 0.5f32).max(-1.0e9f32).min(1.0e9f32);
        for v4 in 0u32..2 {
            match v4 & 3 {
                0 => {
                    for v5 in 0u32..3 {
                        let mut v6: u32 = 256u32.wrapping_div(b.wrapping_rem(a | 1).max((b | a)) | 1);
                        let v7: u32 = a.wrapping_sub((256u32 >> ((a ^ v4) & 31)));
                    }
                }
                1 | 2 => {
                    let mut v8: f32 = ((if !(a > 100u32) { v3.abs().sqrt().max(-1.0e9f32).min(1.0e9f32) } else { (1000.0f32 / (1000.0f32 * 1000.0f32 + 1.0f32)).max(-1.0e9f32).min(1.0e9f32) }) * (3.0e-5f32 + 0.0f32).max(-1.0e9f32).min(1.0e9f32)).max(-1.0e9f32).min(1.0e9f32);
                }
                _ => {
                    let mut v9: [u8; 4] = [(!(a as u8)), (b as u8), (a as u8).max((a as u8)), (if (a > 100u32) { 0u8 } else { (b as u8) })];
                    v9[(a.wrapping_mul(a) & 3) as usize] = 100u8;
                    let v10: u8 = v9[(b.max(v4) & 3) as usize];
                }
            }
            if (true && (a > 100u32)) { break; }
            let mut v11: u32 = v4;
        }
        let mut v12: u32 = (((b & 0xffff) as f32) as u32);
        v12 &= ((31u32.wrapping_rem(v12 | 1) / 7u32) << ((b | v12).count_ones() & 31));
        let mut v13: u64 = (65535u32.wrapping_rem(a | 1) as u64).max((65535u64 & ((b as u64) ^ 255u64)));
        let v14: u32 = b;
        let mut v15: u32 = 0;
        while v15 < 2 && ((a > 100u32) && (b > 100u32)) {
            v15 += 1;
            for v16 in 0u32..(1000u32.max(a) & 7) {
                let v17: u32 = (!(b % 3u32));
                bump(&mut v12, v17);
                let mut v18: u32 = 0;
                while v18 < 5 && ((a as u8) > (b as u8)) {
                    v18 += 1;
                    v12 ^= (v14 << (v14 & 31)).leading_zeros().min(v14);
                    let v19: u16 = (if (256u32.min(255u32) != b.wrapping_add(v16)) { (a as u16) } else { (if !(a > 100u32) { (b as u16) } else { (if (a > 100u32) { 2u16 } else { 2u16 }) }) });
                }
            }
            if !false { continue; }
        }
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v2 as u32).wrapping_mul(31).wrapping_add(v3.to_bits()).wrapping_mul(31).wrapping_add(v12).wrapping_mul(31).wrapping_add((v13 ^ (v13 >> 32)) as u32).wrapping_mul(31).wrapping_add(v14)
    }
    s9_8(a, b) {
        let mut v1: u32 = 0;
        while v1 < 4 && ((a > 100u32) || (b > 100u32)) {
            v1 += 1;
            let mut v2: u32 = (((b > 100u32) ^ (a > 100u32)) as u32);
            v2 &= (((b as u8).wrapping_rem(255u8 | 1) as u32) | (b.wrapping_add(b) % 10u32));
        }
        let mut v3: u32 = (a | (!a));
        let mut v4: u32 = 0;
        while v4 < 1 && ((a > 100u32) ^ (b > 100u32)) {
            v4 += 1;
            let mut v5: [i32; 4] = [(if (a > 100u32) { 0i32 } else { (b as i32) }), ((b as i32) | 0i32), ((a as i32) & (a as i32)), 7i32.min(65536i32)];
            v5[((a % 10u32) & 3) as usize] = (a as i32).wrapping_div((a as i32) | 1);
            let v6: i32 = v5[((!a) & 3) as usize];
            let v7: u32 = (((b as f32) * ((b as f32) + 1000.0f32).max(-1.0e9f32).min(1.0e9f32)).max(-1.0e9f32).min(1.0e9f32) as u32);
        }
        let v8: u32 = (b << (a.wrapping_div((256u32 % 48u32) | 1) & 31));
        for v9 in (1u32..(((b as u16) as u32) & 7)).step_by(3) {
            let mut v10: [u32; 4] = [(65535u32 << (v9 & 31)), v8.max(a), v8, a.min(1000u32)];
            v10[(1000u32.leading_zeros() & 3) as usize] = (v9 ^ v3);
            let v11: u32 = v10[(v9 & 3) as usize];
            v3 = 1000u32;
        }
        let mut v12: u8 = 255u8;
        let mut v13: i32 = (if ((a > 100u32) == (a > 100u32)) { 1i32.wrapping_rem((b as i32) | 1) } else { (a as i32) }).max(2147483647i32);
        let mut v14: u32 = (v3.min((!255u32)) | b.wrapping_sub(v8));
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v3).wrapping_mul(31).wrapping_add(v8).wrapping_mul(31).wrapping_add(v12 as u32).wrapping_mul(31).wrapping_add(v13 as u32).wrapping_mul(31).wrapping_add(v14)
    }
    s10_8(a, b) {
        let mut v1: i32 = (if ((if (a > 100u32) { (b as u64) } else { (b as u64) }) <= ((a as u64) | (b as u64))) { (-1i32).wrapping_add((b as i32)).wrapping_rem((if (b > 100u32) { (b as i32) } else { (a as i32) }) | 1) } else { (if (a > 100u32) { (b as i32) } else { (a as i32) }).wrapping_mul((b as i32).wrapping_add((b as i32))) });
        let mut v2: i32 = 7i32;
        let mut v3: u32 = (!b).wrapping_add(65535u32.wrapping_mul(a)).wrapping_div(b | 1);
        let mut v4: bool = false;
        let v5: i32 = (2147483647i32 & 7i32).wrapping_div(v2.wrapping_div(v2 | 1) | 1).wrapping_div(((a as u16).wrapping_div((a as u16) | 1) as i32) | 1);
        let v6: i32 = v5;
        let v7: u32 = (if (if v4 { true } else { v4 }) { (a | v3) } else { b.wrapping_mul(a) });
        bump(&mut v3, v7);
        v3 |= (v3 >> ((3u32 | b.count_ones()) & 31));
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v1 as u32).wrapping_mul(31).wrapping_add(v2 as u32).wrapping_mul(31).wrapping_add(v3).wrapping_mul(31).wrapping_add(v4 as u32).wrapping_mul(31).wrapping_add(v5 as u32).wrapping_mul(31).wrapping_add(v6 as u32)
    }
    s11_8(a, b) {
        for v1 in 1u32..((if (a > 100u32) { a } else { 31u32 }) & 7) {
            let mut v2: f32 = 1.0f32.floor().max(-1.0e9f32).min(1.0e9f32);
        }
        if !((a > 100u32) ^ (b > 100u32)) {
            let mut v3: u16 = 65535u16;
            if (!(b > 100u32) && (b > 100u32)) {
                let mut v4: u64 = (((a as u64) & (b as u64)) | ((a as u64) | (a as u64))).min((((a as u64) ^ (a as u64)) << ((b ^ 65535u32) & 63)));
            }
            let mut v5: u32 = (!b);
        } else {
            let v6: f32 = ((a as f32) * (a as f32)).max(-1.0e9f32).min(1.0e9f32).abs().sqrt().max(-1.0e9f32).min(1.0e9f32).mul_add(((b & 0xffff) as f32).abs().sqrt().max(-1.0e9f32).min(1.0e9f32), 0.5f32).max(-1.0e9f32).min(1.0e9f32);
        }
        let mut v7: i32 = (!(b as i32).wrapping_add(((a as u16) as i32)));
        let mut v8: u16 = (if (if (true ^ false) { ((b as u16) >= 65535u16) } else { (true == (b > 100u32)) }) { (((b as u16) & (b as u16)) << ((b << (a & 31)) & 15)) } else { (if ((b > 100u32) ^ true) { ((b as u16) | (b as u16)) } else { (a as u16).wrapping_rem((b as u16) | 1) }) });
        let mut v9: u32 = (b / 48u32);
        let mut v10: i32 = (v7 ^ ((!(a as u8)) as i32));
        let mut v11: f32 = (a as f32);
        v9 = (if (a > 100u32) { 100u32 } else { a }).max(b.wrapping_rem(a | 1)).wrapping_add(v9);
        0u32.wrapping_mul(31).wrapping_add(a).wrapping_mul(31).wrapping_add(b).wrapping_mul(31).wrapping_add(v7 as u32).wrapping_mul(31).wrapping_add(v8 as u32).wrapping_mul(31).wrapping_add(v9).wrapping_mul(31).wrapping_add(v10 as u32).wrapping_mul(31).wrapping_add(v11.to_bits())
    }
}
