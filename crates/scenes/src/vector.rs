//! Three-vectors as arrays: the few operations that rows of J and inertia tensors need.

/// A vector in world axes.
pub type Vec3 = [f64; 3];

/// `a + b`.
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a − b`.
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `s a`.
pub fn scale(s: f64, a: Vec3) -> Vec3 {
    [s * a[0], s * a[1], s * a[2]]
}

/// `a · b`.
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a × b`.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `‖a‖`.
pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// `a / ‖a‖`; not finite when a is zero.
pub fn unit(a: Vec3) -> Vec3 {
    let length = norm(a);
    [a[0] / length, a[1] / length, a[2] / length]
}
