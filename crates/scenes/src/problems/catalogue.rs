//! Named instances of every family in three sizes: what conformance tests and benches iterate over.

use super::*;
use crate::{Family, GeneratedProblem, SceneError};

/// How large an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// Up to about 150 blocks: every solver, every test.
    Small,
    /// Up to about 1500 blocks.
    Medium,
    /// Thousands of blocks: benches.
    Large,
}

impl Size {
    /// From small to large.
    pub const ALL: [Size; 3] = [Size::Small, Size::Medium, Size::Large];

    /// The name used in messages and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Large => "large",
        }
    }
}

/// One instance.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name of the instance, that of the problem it generates.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Its size.
    pub size: Size,
    generate: fn() -> Result<GeneratedProblem, SceneError>,
}

impl Entry {
    /// The problem.
    pub fn generate(&self) -> Result<GeneratedProblem, SceneError> {
        (self.generate)()
    }
}

/// All instances, family by family.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// The problems of one size, generated.
pub fn catalogue(size: Size) -> Result<Vec<GeneratedProblem>, SceneError> {
    ENTRIES.iter().filter(|entry| entry.size == size).map(Entry::generate).collect()
}

/// The instance with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

const PLAIN: PileOptions = PileOptions { mu: 0.5, masses: Masses::Equal, motion: Motion::Rest, sides: Sides::Ignored };
const HEAVY_LAST_1E4: PileOptions = PileOptions { masses: Masses::HeavyLast { ratio: 1e4 }, ..PLAIN };
const HEAVY_LAST_1E6: PileOptions = PileOptions { masses: Masses::HeavyLast { ratio: 1e6 }, ..PLAIN };
const ALTERNATING_1E4: PileOptions = PileOptions { masses: Masses::Alternating { ratio: 1e4 }, ..PLAIN };
const GEOMETRIC_1E6: PileOptions = PileOptions { masses: Masses::Geometric { ratio: 1e6 }, ..PLAIN };
const SCATTERED_1E6: PileOptions = PileOptions { masses: Masses::LogUniform { ratio: 1e6, seed: 7 }, ..PLAIN };
const SLIPPERY: PileOptions = PileOptions { mu: 0.1, ..PLAIN };
const SIDES: PileOptions = PileOptions { sides: Sides::Included, ..PLAIN };
const HIT: PileOptions = PileOptions { motion: Motion::Hit, ..SIDES };
const SHAKEN: PileOptions = PileOptions { motion: Motion::Shaken { speed: 0.5, seed: 3 }, ..PLAIN };
const WALL_SHAKEN: PileOptions = PileOptions { mu: 0.6, motion: Motion::Shaken { speed: 0.2, seed: 5 }, ..SIDES };
const PILE_SHAKEN: PileOptions = PileOptions { motion: Motion::Shaken { speed: 0.1, seed: 11 }, ..PLAIN };
const SPHERES: SpheresOptions = SpheresOptions { mu: 0.3, mass_ratio: 1.0, speed: 0.3, jitter: 0.02, seed: 0 };
const ROUGH_SPHERES: SpheresOptions = SpheresOptions { mu: 0.8, ..SPHERES };
const SCATTERED_SPHERES: SpheresOptions = SpheresOptions { mass_ratio: 1e6, ..SPHERES };
const SLOW_SPHERES: SpheresOptions = SpheresOptions { speed: 0.05, ..SPHERES };
const GENTLE: Motion = Motion::Shaken { speed: 0.1, seed: 13 };

macro_rules! entries {
    ($($size:ident $family:ident $name:literal $generate:expr;)*) => {
        &[$(Entry { name: $name, family: Family::$family, size: Size::$size, generate: || $generate }),*]
    };
}

#[rustfmt::skip]
static ENTRIES: &[Entry] = entries! {
    Small  Stack        "stack1"                stack(1, &PLAIN);
    Small  Stack        "stack3"                stack(3, &PLAIN);
    Small  Stack        "stack10"               stack(10, &PLAIN);
    Small  Stack        "stack10_heavy1e4"        stack(10, &HEAVY_LAST_1E4);
    Small  Stack        "stack10_heavy1e6"        stack(10, &HEAVY_LAST_1E6);
    Small  Stack        "stack20_alt1e4"        stack(20, &ALTERNATING_1E4);
    Small  Stack        "stack10_geo1e6"        stack(10, &GEOMETRIC_1E6);
    Small  Stack        "stack8_shake"          stack(8, &SHAKEN);
    Medium Stack        "stack40"               stack(40, &PLAIN);
    Medium Stack        "stack30_geo1e6"        stack(30, &GEOMETRIC_1E6);
    Medium Stack        "stack100"              stack(100, &PLAIN);
    Large  Stack        "stack300"              stack(300, &PLAIN);
    Small  Wall         "wall3x3"               wall(3, 3, &PLAIN);
    Small  Wall         "wall3x3_sides"         wall(3, 3, &SIDES);
    Small  Wall         "wall4x4_sides_hit"     wall(4, 4, &HIT);
    Medium Wall         "wall6x6"               wall(6, 6, &PLAIN);
    Medium Wall         "wall10x20"             wall(10, 20, &PLAIN);
    Medium Wall         "wall8x8_sides_hit"     wall(8, 8, &HIT);
    Medium Wall         "wall8x8_mu0.6_sides_shake" wall(8, 8, &WALL_SHAKEN);
    Medium Wall         "wall10x8_sides_ball"   wall_and_ball(10, 8, 50.0, 15.0, &PLAIN);
    Large  Wall         "wall15x30"             wall(15, 30, &PLAIN);
    Large  Wall         "wall30x30"             wall(30, 30, &PLAIN);
    Large  Wall         "wall20x15_sides"       wall(20, 15, &SIDES);
    Small  Pyramid      "pyr2d5"                pyramid2d(5, &PLAIN);
    Small  Pyramid      "pyr3d2"                pyramid3d(2, &PLAIN);
    Medium Pyramid      "pyr2d12"               pyramid2d(12, &PLAIN);
    Medium Pyramid      "pyr2d12_mass1e6"       pyramid2d(12, &SCATTERED_1E6);
    Medium Pyramid      "pyr2d15_mu0.1"         pyramid2d(15, &SLIPPERY);
    Medium Pyramid      "pyr3d5"                pyramid3d(5, &PLAIN);
    Medium Pyramid      "pyr3d6_shake"          pyramid3d(6, &PILE_SHAKEN);
    Large  Pyramid      "pyr2d32"               pyramid2d(32, &PLAIN);
    Large  Pyramid      "pyr3d9"                pyramid3d(9, &PLAIN);
    Small  Table        "table8x8"              table(8, 0.5, TableMotion::Rest);
    Small  Table        "table8x8_slide"        table(8, 0.5, TableMotion::Sliding);
    Small  Table        "table8x8_spin"         table(8, 0.5, TableMotion::Spinning);
    Small  Table        "table8x8_slide_spin"   table(8, 0.5, TableMotion::SlidingAndSpinning);
    Small  Incline      "incline3_slope0.25_mu0.3" incline(3, 0.25, 0.3);
    Small  Incline      "incline3_slope0.4_mu0.3" incline(3, 0.4, 0.3);
    Small  Incline      "incline5_slope0.29_mu0.3" incline(5, 0.29, 0.3);
    Small  Incline      "incline5_slope0.4_mu0.3" incline(5, 0.4, 0.3);
    Small  Spheres      "sph3x3x2"              spheres(3, 3, 2, &SPHERES);
    Medium Spheres      "sph5x5x4"              spheres(5, 5, 4, &SPHERES);
    Medium Spheres      "sph5x5x4_mu0.8"        spheres(5, 5, 4, &ROUGH_SPHERES);
    Medium Spheres      "sph5x5x4_mass1e6"      spheres(5, 5, 4, &SCATTERED_SPHERES);
    Large  Spheres      "sph8x8x8"              spheres(8, 8, 8, &SLOW_SPHERES);
    Large  Spheres      "sph10x10x10"           spheres(10, 10, 10, &SLOW_SPHERES);
    Small  Packing      "fcc3"                  packing(3, 0.5, Masses::Equal, Motion::Rest);
    Medium Packing      "fcc6_mass1e6"          packing(6, 0.5, SCATTERED_1E6.masses, Motion::Rest);
    Large  Packing      "fcc10_shake"           packing(10, 0.3, Masses::Equal, GENTLE);
    Large  Packing      "fcc12"                 packing(12, 0.5, Masses::Equal, Motion::Rest);
    Small  Arch         "arch7"                 arch(7, 0.7, ArchLoad::Weight);
    Small  Arch         "arch15_mass1e4"        arch(15, 0.7, ArchLoad::Masses { ratio: 1e4, seed: 17 });
    Small  Arch         "arch21_load"           arch(21, 0.7, ArchLoad::Keystone { speed: 2.0 });
    Medium Arch         "arch51"                arch(51, 0.7, ArchLoad::Weight);
    Small  Row          "row4_mass1e2"          row(4, 1e2, 0.4, 19);
    Medium Row          "row20_mass1e6"         row(20, 1e6, 0.4, 19);
    Small  Wedge        "wedge_slope0_mu0.2"    wedge(0.0, 0.2);
    Small  Wedge        "wedge_slope0.2_mu0.2"  wedge(0.2, 0.2);
    Small  Wedge        "wedge_slope0.5_mu0.2"  wedge(0.5, 0.2);
    Small  Box          "drop_slide_mu0.3"      drop_slide(0.3);
    Small  Box          "plank_angle1.2_mu0.6_0.3" plank(1.2, 0.6, 0.3);
    Small  Box          "plank_angle0.6_mu5_1.5" plank(0.6, 5.0, 1.5);
    Small  Chain        "chain10"               chain(10, Masses::Equal);
    Small  Chain        "chain10_heavy1e8"        chain(10, Masses::HeavyLast { ratio: 1e8 });
    Small  Chain        "chain20_geo1e8"        chain(20, Masses::Geometric { ratio: 1e8 });
    Medium Chain        "chain200"              chain(200, Masses::Equal);
    Large  Chain        "chain2000"             chain(2000, Masses::Equal);
    Small  RandomLcp    "spd20_1e-2_seed1"      random_spd(20, 1e-2, 1);
    Small  RandomLcp    "spd100_1e-6_seed2"     random_spd(100, 1e-6, 2);
    Small  RandomLcp    "psd40_rank10_seed3"    random_psd(40, 10, 3);
    Medium RandomLcp    "spd500_1e-4_seed4"     random_spd(500, 1e-4, 4);
    Medium RandomLcp    "psd400_rank100_seed5"  random_psd(400, 100, 5);
    Small  Redundant    "stack3_copies2"        duplicated(&stack(3, &PLAIN)?, 2);
    Small  Redundant    "wedge_slope0.5_mu0.2_copies16" duplicated(&wedge(0.5, 0.2)?, 16);
    Medium Redundant    "stack3_copies64"       duplicated(&stack(3, &PLAIN)?, 64);
    Medium Redundant    "plate20x20"            redundant_plate(20, 0.5, TableMotion::Rest);
    Medium Redundant    "plate20x20_slide"      redundant_plate(20, 0.5, TableMotion::Sliding);
    Medium Redundant    "plate20x20_slide_spin" redundant_plate(20, 0.5, TableMotion::SlidingAndSpinning);
    Small  HangingChain "hanging10"             hanging_chain(10, Masses::Equal);
    Small  HangingChain "hanging10_heavy1e6"      hanging_chain(10, Masses::HeavyLast { ratio: 1e6 });
    Medium HangingChain "hanging200"            hanging_chain(200, Masses::Equal);
    Small  Motor        "flywheel_target2_strength1" flywheel(2.0, 1.0);
    Small  Motor        "flywheel_target20_strength0.1" flywheel(20.0, 0.1);
    Small  Motor        "elevator3_target0_strength2" elevator(3, 0.0, 2.0);
    Small  Motor        "elevator3_target1_strength1.5" elevator(3, 1.0, 1.5);
    Small  Motor        "elevator3_target1_strength0.5" elevator(3, 1.0, 0.5);
    Small  Planar       "planar_stack10"        planar_stack(10, Masses::Equal, 0.5);
    Small  Planar       "planar_stack10_heavy1e6" planar_stack(10, Masses::HeavyLast { ratio: 1e6 }, 0.5);
    Small  Planar       "planar_discs6"         planar_discs(6, 0.3, 0.3, 23);
    Medium Planar       "planar_discs20"        planar_discs(20, 0.3, 0.3, 23);
    Small  Mixed        "train3_mu0.4_strength0.8" train(3, 0.4, 0.8);
    Small  Mixed        "train6_mu0.4_strength1.5" train(6, 0.4, 1.5);
    Medium Mixed        "train40_mu0.4_strength1.5" train(40, 0.4, 1.5);
};
