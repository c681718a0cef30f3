//! EXP: exports of colours, positions and primitives. One line per instruction, see [`super`] for the notation.

use super::{export, EXP_TARGET};

rows! {
    /// EXP: exports.
    Exp; [R_EXEC];
    0 exp Export [EXP_TARGET, export(0), export(1), export(2), export(3)];
}
