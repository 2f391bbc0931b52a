//! Masonry by statics: arches at their least thickness, and what the built-in arch can carry.

use signorini::glamx::DVec3;
use signorini::statics::{Load, Per, StaticsOptions, force_bounds, is_stable, load_limit};
use signorini_scenes::worlds::{least_arch_thickness, masonry_arch};

/// For ever thinner voussoirs the least thickness over the mean radius is Milankovitch's 0.1075 (1907).
#[test]
fn paper_tends_to_milankovitch() {
    assert!((least_arch_thickness(2000) - 0.1075).abs() < 1e-4);
}

/// A thrust line fits into an arch of the least thickness and into no thinner one (Heyman 1966). The line on paper and the cone program
/// share nothing: they agree to a ten-thousandth on both sides, for even and odd numbers of stones.
#[test]
fn arches_stand_from_the_least_thickness_on() {
    for stones in [9, 16, 27] {
        let least = least_arch_thickness(stones);
        for (factor, stands) in [(1.0001, true), (0.9999, false)] {
            let world = masonry_arch(stones, factor * least).build().unwrap();
            let found = is_stable(&world, &StaticsOptions::default()).unwrap();
            assert_eq!(found.stable, stands, "{stones} stones, factor {factor}: {:e} N missing", found.missing);
            assert!(found.proof.gap < 1e-7);
        }
    }
}

/// The thrust of an arch is between bounds that close on one another as it gets thinner, and a load on its crown has a limit.
#[test]
fn the_thinner_the_arch_the_narrower_its_thrust() {
    let least = least_arch_thickness(9);
    let mut widths = Vec::new();
    let mut last = (f64::INFINITY, f64::INFINITY);
    for factor in [1.5, 1.2, 1.001] {
        let world = masonry_arch(9, factor * least).build().unwrap();
        let options = StaticsOptions::default();
        let bounds = force_bounds(&world, Per::Patch, &options).unwrap();
        // The patch between the keystone and its neighbour: normals there are nearly horizontal.
        let crown = bounds.contacts.iter().max_by(|p, q| p.point.z.total_cmp(&q.point.z)).unwrap();
        let width = crown.normal_force.greatest - crown.normal_force.least;
        let stone = world.find("stone 04").unwrap();
        let limit = load_limit(&world, &[Load::force(stone, -DVec3::Z)], &options).unwrap();
        assert!(width < last.0 && limit.greatest < last.1 && limit.greatest > 0.0, "{factor}: {width}, {limit:?}");
        last = (width, limit.greatest);
        widths.push(width);
    }
    // At the least thickness the thrust is known. What is open closes in proportion to what the arch is thicker.
    assert!(widths[2] < 0.05 * widths[0], "{widths:?}");
}
