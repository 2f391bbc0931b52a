// The numbers of what is selected: a body, a contact, or else the step. Names are text, never markup.

import { show, vector, withUnit } from "./numbers";
import { ASLEEP, BODY_WORDS, CONTACT_WORDS, ContactState, PARTS, QUARANTINED, isMet, type Energy, type Frame, type LaneInfo, type Report, type Scene } from "./protocol";
import type { Selection } from "./stage";

type Row = [label: string, value: string, tone?: "good" | "bad"];

export interface Subject {
    scene: Scene;
    lane: LaneInfo;
    frame: Frame;
    selection: Selection | null;
}

export class Inspector {
    private shown = "";

    constructor(private readonly root: HTMLElement) {}

    show(subject: Subject): void {
        const { selection } = subject;
        const [title, kind, rows] =
            selection === null
                ? stepRows(subject)
                : "body" in selection
                  ? bodyRows(subject, selection.body)
                  : contactRows(subject, selection.contact);
        const text = JSON.stringify([title, kind, rows]);
        if (text === this.shown) {
            return;
        }
        this.shown = text;
        const heading = document.createElement("h2");
        const small = document.createElement("small");
        const name = document.createElement("span");
        name.textContent = title;
        small.textContent = kind;
        heading.append(name, small);
        const list = document.createElement("dl");
        for (const [label, value, tone] of rows) {
            const term = document.createElement("dt");
            const detail = document.createElement("dd");
            term.textContent = label;
            detail.textContent = value;
            if (tone !== undefined) {
                detail.className = tone;
            }
            list.append(term, detail);
        }
        this.root.replaceChildren(heading, list);
    }
}

type Page = [title: string, kind: string, rows: Row[]];

function stepRows({ scene, lane, frame }: Subject): Page {
    const title = `Step ${frame.index}`;
    const { report } = frame;
    if (report === null) {
        return [title, lane.method, [["time", withUnit(frame.time, "s", 4)], ["status", "before the first step"]]];
    }
    const certified = report.status === "certified";
    const { velocity, energy, counts } = report;
    const rows: Row[] = [["status", report.status, certified ? "good" : "bad"], ...partRows(report, scene)];
    if (velocity === null) {
        rows.push(["residual", "nothing touches"]);
    } else {
        const solved = report.measured !== null && report.measured <= report.tolerance;
        rows.push(
            ["residual (natural map)", withUnit(velocity.natural, "m/s"), solved || certified ? "good" : "bad"],
            ["tolerance, by own scale", withUnit(report.tolerance, "m/s")],
            ["approach speed left", withUnit(velocity.penetration_rate, "m/s")],
            ["creep inside the cone", withUnit(velocity.creep, "m/s")],
        );
    }
    rows.push(
        ["overlap at the start", withUnit(1e3 * report.penetration, "mm")],
        ["contacts, islands", `${counts.contacts}, ${counts.islands}`],
        ["iterations", `${report.effort.iterations}`],
        ["friction, normal work", `${show(energy.friction)}, ${withUnit(energy.normal, "J")}`],
        ["energy unexplained", withUnit(closure(report), "J")],
    );
    return [title, lane.method, rows];
}

/** Every part of the certificate: value, bound, and where it is worst. */
function partRows({ certificate }: Report, scene: Scene): Row[] {
    if (certificate === null) {
        return [["certificate", "not told by this recording"]];
    }
    return PARTS.map(([key, name, unit]): Row => {
        const { value, bound, place } = certificate[key];
        const met = isMet(certificate[key]);
        const names = place.bodies.flatMap((body) => (body === null ? [] : [scene.bodies[body]?.name ?? `body ${body}`]));
        if (place.joint !== null && names.length === 1) {
            names.push("the world");
        }
        const where = names.length > 0 && value !== 0 ? `, ${names.join(" and ")}` : "";
        const text = `${show(value, 2)} of ${unit === "" ? show(bound, 2) : withUnit(bound, unit, 2)}`;
        return [met ? name : `${name}, missed`, `${text}${where}`, met ? "good" : "bad"];
    });
}

/** Change of energy that no entry of the account explains [J]. */
function closure({ energy }: Report): number {
    const total = (e: Energy): number => e.linear + e.rotational + e.potential;
    const { external, normal, friction, joints, motor, spring, driven, integration, stabilisation, stopped } = energy;
    const drives = driven + (motor ?? 0) + (spring ?? 0);
    const explained = external + normal + friction + joints + drives + integration + stabilisation + (stopped ?? 0);
    return total(energy.after) - total(energy.before) - explained;
}

function bodyRows({ scene, frame }: Subject, index: number): Page {
    const body = scene.bodies[index];
    const at = index * BODY_WORDS;
    const [px, py, pz, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz] = frame.bodies.subarray(at, at + 13);
    const flags = frame.bodyWords[at + 13];
    const force = [0, 0, 0];
    let touching = 0;
    for (let c = 0; c < frame.contactCount; c++) {
        const at = c * CONTACT_WORDS;
        const [a, b] = frame.contactWords.subarray(at, at + 2);
        if ((a === index || b === index) && frame.contactWords[at + 14] !== ContactState.Open) {
            touching += 1;
            for (let k = 0; k < 3; k++) {
                force[k] += ((b === index ? 1 : -1) * frame.contacts[at + 8 + k]) / scene.step;
            }
        }
    }
    const [ox, oy, oz] = scene.origin;
    const rows: Row[] = [
        ["mass", body.mass === null ? "not moved by forces" : withUnit(body.mass, "kg", 4)],
        ["friction, restitution", `${show(body.friction)}, ${show(body.restitution)}`],
        ["position [m]", vector(px + ox, py + oy, pz + oz, 4)],
        ["orientation (w, x, y, z)", [qw, qx, qy, qz].map((q) => show(Math.abs(q) < 1e-7 ? 0 : q, 3)).join(", ")],
        ["velocity [m/s]", vector(vx, vy, vz)],
        ["speed", withUnit(Math.hypot(vx, vy, vz), "m/s")],
        ["angular velocity [rad/s]", vector(wx, wy, wz)],
        ["closed contacts", `${touching}`],
        ["contact force [N]", vector(force[0], force[1], force[2])],
    ];
    const condition = flags & QUARANTINED ? ", quarantined" : flags & ASLEEP ? ", asleep" : "";
    return [body.name, `${body.sensor ? "sensor, " : ""}${body.kind}${condition}`, rows];
}

function contactRows({ scene, frame }: Subject, contact: number): Page {
    if (contact >= frame.contactCount) {
        return ["Contact", "gone", [["at this moment", "there is no such contact"]]];
    }
    const at = contact * CONTACT_WORDS;
    const [a, b] = frame.contactWords.subarray(at, at + 2);
    const [px, py, pz, nx, ny, nz, ix, iy, iz, gap, friction, slip] = frame.contacts.subarray(at + 2, at + 14);
    const normal = (ix * nx + iy * ny + iz * nz) / scene.step;
    const total = Math.hypot(ix, iy, iz) / scene.step;
    const tangential = Math.sqrt(Math.max(0, total * total - normal * normal));
    const state = ["open", "sticks", "slips"][frame.contactWords[at + 14]] ?? "";
    const [ox, oy, oz] = scene.origin;
    const used = friction * normal > 0 ? `${show((100 * tangential) / (friction * normal))} %` : "–";
    const rows: Row[] = [
        ["between", `${scene.bodies[a]?.name ?? a} and ${scene.bodies[b]?.name ?? b}`],
        ["point [m]", vector(px + ox, py + oy, pz + oz, 4)],
        ["normal", vector(nx, ny, nz)],
        ["gap", withUnit(1e3 * gap, "mm")],
        ["normal force", withUnit(normal, "N", 4)],
        ["friction force", withUnit(tangential, "N", 4)],
        ["of the cone used", used],
        ["slip speed", withUnit(slip, "m/s")],
        ["friction coefficient", show(friction)],
    ];
    return ["Contact", state, rows];
}
