//! Stage 2/9.
use crate::shape::Aabb;
#[derive(Debug, Default)]
pub(crate) struct BroadPhase {}
impl BroadPhase {
    pub fn pairs(&mut self, boxes: &[Aabb], out: &mut Vec<(u32, u32)>) {
        out.clear();
        for i in 0..boxes.len() { for j in i + 1..boxes.len() {
            if boxes[i].min.cmple(boxes[j].max).all() && boxes[j].min.cmple(boxes[i].max).all() { out.push((i as u32, j as u32)); }
        } }
    }
}
