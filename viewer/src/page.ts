// The page: what arrives goes into histories, what is shown comes out of them.

import { Budget } from "./budget";
import { contactChart, energyChart, poseChart, residualChart, timeChart, type LaneCurves } from "./charts";
import { islandColour, palette, type Theme } from "./colours";
import { Editor } from "./editor";
import { Film, save } from "./film";
import { History, median } from "./history";
import { Inspector } from "./inspector";
import { describe, listen, type Key } from "./keys";
import { LaneLabels } from "./lane_labels";
import type { Link, Listener } from "./link";
import { show, withUnit } from "./numbers";
import { Playback } from "./playback";
import { Plot, type Span } from "./plots";
import { misses, type Answer, type Frame, type LaneRequest, type Run, type State, type Welcome } from "./protocol";
import { Pull } from "./pull";
import { Setup } from "./setup";
import { Stage, type Look, type Selection } from "./stage";
import { Strip } from "./timeline";

function element<T extends HTMLElement = HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (found === null) {
        throw new Error(`the page has no element ${id}`);
    }
    return found as T;
}

/** Curves are redrawn this often while frames arrive [ms]. */
const CURVES_EVERY = 100;
/** How long frames may be on their way before they are asked for again [ms]. */
const PATIENCE = 3000;
const COLOURINGS = ["body", "state", "island", "motion"] as const;
const PLAY = "M5 3.5v13l11-6.5z";
const PAUSE = "M5 4h3.6v12H5zM11.4 4H15v12h-3.6z";

export class Page implements Listener {
    private readonly connection: Link;
    private readonly editor: Editor;
    private readonly film = new Film(element<HTMLCanvasElement>("canvas"));
    private readonly stage = new Stage(element<HTMLCanvasElement>("canvas"));
    private readonly labels = new LaneLabels(element("lanes"));
    private readonly inspector = new Inspector(element("inspector"));
    private readonly strip = new Strip(element<HTMLCanvasElement>("strip"));
    private readonly playback = new Playback();
    private readonly plots: Plot[];
    private readonly setup: Setup;
    private readonly budget: Budget;
    private readonly look: Look = { colouring: "body", points: true, forces: true, cones: false, seeThrough: false, axes: false };
    private theme: Theme = "light";
    private control = false;
    private run: Run | null = null;
    private state: State | null = null;
    private lanes: LaneCurves[] = [];
    private selection: Selection | null = null;
    /** The last frame that is on its way because it was asked for, lane by lane. */
    private asked: (number | null)[] = [];
    private shownKey = "";
    private curvesDrawn = 0;
    private curvesKey = "";
    private lastTick = performance.now();
    private reference = NaN;
    private noticeTimer = 0;

    constructor(connect: (listener: Listener) => Link) {
        const seek = (fraction: number): void => {
            this.playback.playing = false;
            this.playback.show(Math.round(fraction * this.playback.last));
        };
        this.plots = ["Residual", "Overlap and joints", "Energy", "Contacts", "Time per step"].map(
            (title) => new Plot(element("plots"), title, seek),
        );
        this.setup = new Setup((scene, lanes) => this.open(scene, lanes));
        this.budget = new Budget((factorizations) => this.connection.send({ type: "budget", factorizations }));
        this.connection = connect(this);
        this.editor = new Editor(
            (request) => this.connection.send(request),
            () => this.run?.scene.name ?? "",
        );
        const pullable = (): boolean => {
            const yes = this.control && this.more();
            if (yes) {
                this.playback.catchUp();
            }
            return yes;
        };
        new Pull(element("canvas"), this.stage, pullable, (drag) => {
            this.playback.catchUp();
            this.connection.send(drag === null ? { type: "release" } : { type: "drag", ...drag });
        });
        this.wire();
        this.paint(this.preferredTheme());
        new ResizeObserver(() => this.resize()).observe(element("canvas"));
    }

    start(): void {
        this.connection.open();
        const tick = (now: number): void => {
            this.tick(now);
            requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    }

    // What the server says.

    answer(answer: Answer): void {
        switch (answer.type) {
            case "welcome":
                this.welcome(answer);
                break;
            case "run":
                this.begin(answer);
                break;
            case "state":
                this.state = answer;
                for (const { history } of this.lanes) {
                    history.first = answer.first;
                    history.end = Math.max(history.end, answer.end);
                }
                break;
            case "scene_text":
                this.editor.show(answer.text);
                break;
            case "checked":
                this.editor.checked(answer.message);
                break;
            case "error":
                this.notice(answer.message, true);
                break;
        }
    }

    frame(frame: Frame): void {
        const lane = this.lanes[frame.lane];
        if (lane === undefined || frame.epoch !== this.run?.epoch) {
            return;
        }
        lane.history.add(frame, this.playback.index);
        if (frame.index === this.asked[frame.lane]) {
            this.asked[frame.lane] = null;
        }
    }

    trouble(message: string | null): void {
        document.body.dataset["connection"] = message === null ? "open" : "closed";
        if (message === null) {
            this.notice(null, false);
            this.asked = [];
        } else {
            this.notice(message, false);
        }
    }

    private welcome(welcome: Welcome): void {
        this.control = welcome.control;
        element("simulation").hidden = !welcome.control;
        this.setup.offer(welcome);
        this.editor.offer(welcome.editor);
        document.body.dataset["control"] = String(welcome.control);
    }

    private begin(run: Run): void {
        const again = this.run?.scene.name === run.scene.name && this.run.lanes.length === run.lanes.length;
        const reconnected = this.run?.epoch === run.epoch && again;
        if (reconnected) {
            return;
        }
        this.run = run;
        this.state = null;
        this.lanes = run.lanes.map((info) => ({ info, history: new History(run.scene.step) }));
        this.asked = [];
        this.selection = null;
        this.reference = NaN;
        this.shownKey = "";
        this.playback.reset(run.scene.step);
        element("follow").setAttribute("aria-pressed", "false");
        this.stage.load(run.scene, run.lanes.length);
        this.stage.resize();
        this.labels.load(run.lanes);
        this.labels.place(this.stage.viewports());
        this.setup.chosen(run);
        this.budget.chosen(run.lanes);
        element("scene-name").textContent = run.scene.name;
        element("scene-description").textContent = run.scene.description;
        element("scene-description").className = "";
        document.title = `${run.scene.name} – Signorini`;
        this.legend();
    }

    private open(scene: string, lanes: LaneRequest[]): void {
        this.connection.send({ type: "open", scene, lanes });
    }

    // Time.

    private tick(now: number): void {
        const seconds = Math.min((now - this.lastTick) / 1000, 0.25);
        this.lastTick = now;
        if (this.run !== null && this.lanes.length > 0) {
            const first = Math.max(...this.lanes.map(({ history }) => history.first));
            const end = Math.min(...this.lanes.map(({ history }) => history.end));
            this.playback.limit(first, end);
            const next = Math.min(this.playback.index + 1, this.playback.last);
            // Frames on their way are waited for.
            if (this.lanes.every(({ history }) => history.has(next))) {
                this.playback.advance(seconds, this.more());
            }
            if (this.film.rolling) {
                this.stage.touch();
                if (this.film.pictured && !this.more() && this.playback.index === this.playback.last) {
                    void this.shoot();
                }
            }
            this.fetch();
            this.present();
            this.curves(now);
        }
        this.stage.render();
        document.body.dataset["eye"] = this.stage.eye.map((metres) => metres.toPrecision(4)).join(" ");
    }

    private more(): boolean {
        return this.state?.phase === "running";
    }

    private fetch(): void {
        this.lanes.forEach(({ history }, lane) => {
            if (this.run === null || (this.asked[lane] ?? null) !== null) {
                return;
            }
            const gap = history.missing(this.playback.index);
            if (gap !== null) {
                const last = gap.to - 1;
                this.asked[lane] = last;
                this.connection.send({ type: "frames", epoch: this.run.epoch, lane, ...gap });
                // An answer that never comes must not stop everything.
                window.setTimeout(() => {
                    this.asked[lane] = this.asked[lane] === last ? null : this.asked[lane];
                }, PATIENCE);
            }
        });
    }

    /** Puts the moment at the playhead on the page, if it is not there already. */
    private present(): void {
        const { index, last, playing } = this.playback;
        const frames = this.lanes.map(({ history }) => history.nearest(index));
        const key = [
            this.run?.epoch,
            ...frames.map((frame) => frame?.index),
            JSON.stringify([this.selection, this.look, this.theme]),
            this.reference.toPrecision(2),
        ].join(" ");
        this.transport(index, last, playing);
        if (key === this.shownKey || this.run === null) {
            return;
        }
        this.shownKey = key;
        const scene = this.run.scene;
        frames.forEach((frame, lane) => {
            if (frame !== null) {
                this.stage.show(lane, frame, this.look, this.reference, this.selection);
                this.labels.show(lane, frame);
            }
        });
        document.body.dataset["pulled"] = String(frames[0]?.report?.drag?.body ?? "");
        const lane = this.selection?.lane ?? 0;
        const frame = frames[lane];
        const info = this.lanes[lane]?.info;
        if (frame !== null && frame !== undefined && info !== undefined) {
            this.inspector.show({ scene, lane: info, frame, selection: this.selection });
        }
    }

    private transport(index: number, last: number, playing: boolean): void {
        const scrub = element<HTMLInputElement>("scrub");
        const time = (index * (this.run?.scene.step ?? 0)).toFixed(3);
        scrub.max = String(Math.max(last, 1));
        scrub.value = String(index);
        scrub.setAttribute("aria-valuetext", `${time} seconds, step ${index} of ${last}`);
        element("time").textContent = `${time} s`;
        element("play").setAttribute("aria-label", playing ? "Pause" : "Play");
        element("play-icon").firstElementChild?.setAttribute("d", playing ? PAUSE : PLAY);
        const { body } = document;
        [body.dataset["index"], body.dataset["last"]] = [String(index), String(last)];
        body.dataset["playing"] = String(playing);
        const phase = element("phase");
        const words = {
            running: "simulating",
            paused: "simulation held",
            finished: "complete",
            failed: "stopped: see note",
            recorded: "recording",
        };
        if (this.state !== null && phase.dataset["phase"] !== this.state.phase) {
            phase.dataset["phase"] = this.state.phase;
            phase.className = `phase ${this.state.phase}`;
            phase.textContent = words[this.state.phase];
            element("sim-pause").textContent = this.state.phase === "running" ? "Hold" : "Resume";
            if (this.state.phase === "failed") {
                this.notice(this.state.message ?? "The simulation stopped.", false);
            }
        }
    }

    private curves(now: number): void {
        const { index } = this.playback;
        const end = Math.max(...this.lanes.map(({ history }) => history.end));
        const revision = this.lanes.map(({ history }) => history.revision).join(" ");
        const key = [revision, index, end, this.theme, this.lanes.length, window.innerWidth, window.innerHeight].join(" ");
        if (key === this.curvesKey || now - this.curvesDrawn < CURVES_EVERY || this.run === null) {
            return;
        }
        [this.curvesKey, this.curvesDrawn] = [key, now];
        const colours = palette(this.theme);
        const { step, duration } = this.run.scene;
        const span: Span = { end, step, playhead: index };
        const charts = [residualChart, poseChart, energyChart, contactChart, timeChart];
        charts.forEach((chart, i) => this.plots[i].draw(chart(this.lanes, colours), span, colours));
        const expected = this.more() ? Math.round(duration / step) + 1 : end;
        this.strip.draw(this.lanes, end, Math.max(expected, end), index, colours);
        this.reference = median(this.lanes.flatMap(({ history }) => history.curves.force));
        const points = this.lanes.map(({ history }) => history.curves.measured.filter((v) => !Number.isNaN(v)).length);
        document.body.dataset["points"] = String(Math.min(...points));
    }

    // The person.

    private wire(): void {
        const click = (id: string, run: () => void): void => element(id).addEventListener("click", run);
        const toggle = (id: string, field: "points" | "forces" | "cones" | "seeThrough" | "axes"): (() => void) => {
            const flip = (): void => {
                this.look[field] = !this.look[field];
                element(id).setAttribute("aria-pressed", String(this.look[field]));
                this.legend();
            };
            click(id, flip);
            return flip;
        };
        const points = toggle("points", "points");
        const forces = toggle("forces", "forces");
        const cones = toggle("cones", "cones");
        const glass = toggle("glass", "seeThrough");
        const axes = toggle("axes", "axes");
        const colouring = element<HTMLSelectElement>("colouring");
        colouring.addEventListener("change", () => this.colour(colouring.value as Look["colouring"]));
        const play = (): void => {
            this.playback.toggle(this.more());
            this.say(this.playback.playing ? "Playing" : this.here());
        };
        const jump = (index: number): void => {
            this.playback.playing = false;
            this.playback.show(index);
            this.say(this.here());
        };
        const worst = (): void => this.toWorst();
        const theme = (): void => this.paint(this.theme === "dark" ? "light" : "dark", true);
        const help = element<HTMLDialogElement>("help");
        const hold = (): void => this.order(this.more() ? "pause" : "resume");
        click("play", play);
        click("back", () => this.playback.move(-1));
        click("forward", () => this.playback.move(1));
        click("to-start", () => jump(0));
        click("to-end", () => this.newest());
        click("worst", worst);
        click("theme", theme);
        const follow = (): void => this.follow();
        click("follow", follow);
        element("film").hidden = !Film.possible();
        click("film", () => void this.shoot());
        click("help-open", () => help.showModal());
        click("sim-pause", hold);
        click("sim-step", () => this.order("step"));
        click("sim-reset", () => this.order("reset"));
        const scrub = element<HTMLInputElement>("scrub");
        scrub.addEventListener("input", () => {
            this.playback.playing = false;
            this.playback.show(Number(scrub.value));
        });
        const rate = element<HTMLSelectElement>("rate");
        rate.addEventListener("change", () => (this.playback.rate = Number(rate.value)));
        this.wirePicking();
        const many = (event: KeyboardEvent): number => (event.shiftKey ? 10 : 1);
        const keys: Key[] = [
            { shown: "Space", keys: [" "], does: "play or pause", run: play },
            { shown: "← →", keys: ["ArrowLeft", "ArrowRight"], does: "a step back or on; ten with Shift", run: (e) => this.arrow(e, many(e)) },
            { shown: "Home End", keys: ["Home", "End"], does: "beginning, newest", run: (e) => (e.key === "Home" ? jump(0) : this.newest()) },
            { shown: "W", keys: ["w", "W"], does: "largest residual", run: worst },
            { shown: "P", keys: ["p", "P"], does: "contact points", run: points },
            { shown: "F", keys: ["f", "F"], does: "contact forces", run: forces },
            { shown: "K", keys: ["k", "K"], does: "friction cones", run: cones },
            { shown: "X", keys: ["x", "X"], does: "glass bodies", run: glass },
            { shown: "A", keys: ["a", "A"], does: "axes of the world and of the selected body", run: axes },
            { shown: "C", keys: ["c", "C"], does: "next colouring", run: () => this.nextColour() },
            { shown: "[ ]", keys: ["[", "]"], does: "body before, after", run: (e) => this.nextBody(e.key === "[" ? -1 : 1) },
            { shown: "Esc", keys: ["Escape"], does: "select nothing", run: () => this.select(null) },
            { shown: "R", keys: ["r", "R"], does: "whole scene in view", run: () => this.stage.frameAll(false) },
            { shown: "Alt ← → ↑ ↓", keys: ["ArrowUp", "ArrowDown"], does: "turn the view", run: (e) => this.arrow(e, 1) },
            { shown: "+ −", keys: ["+", "=", "-"], does: "nearer, further", run: (e) => this.stage.orbit(0, 0, e.key === "-" ? 1.15 : 0.87) },
            { shown: "L", keys: ["l", "L"], does: "go along with the selected body", run: follow },
            { shown: "T", keys: ["t", "T"], does: "light or dark", run: theme },
            { shown: "S N O", keys: ["s", "S", "n", "N", "o", "O"], does: "hold, step, restart the simulation (with --control)", run: (e) => this.simulationKey(e.key.toLowerCase()) },
            { shown: "?", keys: ["?"], does: "this list", run: () => help.showModal() },
        ];
        describe(keys, element("keys"));
        listen(keys, () => help.open || this.editor.isOpen);
    }

    private wirePicking(): void {
        const canvas = element("canvas");
        let from: [number, number] | null = null;
        canvas.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
        canvas.addEventListener("pointerup", (event) => {
            // A drag turns the view; only a click selects.
            if (from !== null && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 5) {
                this.select(this.stage.pick(event.clientX, event.clientY, this.look));
            }
            from = null;
        });
    }

    private arrow(event: KeyboardEvent, steps: number): void {
        const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
        const upwards = { ArrowUp: 1, ArrowDown: -1 }[event.key] ?? 0;
        if (event.altKey || upwards !== 0) {
            this.stage.orbit(0.1 * sideways, 0.08 * upwards, 1);
        } else {
            this.playback.move(steps * sideways);
            this.say(this.here());
        }
    }

    private simulationKey(key: string): void {
        if (this.control) {
            this.order(key === "n" ? "step" : key === "o" ? "reset" : this.more() ? "pause" : "resume");
        }
    }

    private order(type: "pause" | "resume" | "step" | "reset"): void {
        this.connection.send({ type });
        if (type === "resume" || type === "step") {
            this.newest();
        }
    }

    private newest(): void {
        this.playback.show(this.playback.last);
        this.playback.playing = this.more();
    }

    private toWorst(): void {
        let found: { lane: number; index: number; value: number } | null = null;
        this.lanes.forEach(({ history }, lane) => {
            const index = history.worst();
            const value = index === null ? -1 : history.curves.measured[index];
            if (index !== null && (found === null || value > found.value)) {
                found = { lane, index, value };
            }
        });
        const worst = found as { lane: number; index: number; value: number } | null;
        if (worst === null) {
            this.notice("Nothing has touched yet.", true);
            return;
        }
        this.playback.playing = false;
        this.playback.show(worst.index);
        const method = this.lanes[worst.lane].info.method;
        this.notice(`Largest residual of ${method}: ${withUnit(worst.value, "m/s")} at step ${worst.index}.`, true);
    }

    private select(selection: Selection | null): void {
        this.selection = selection;
        document.body.dataset["selected"] =
            selection === null ? "" : "body" in selection ? `body ${selection.body}` : `contact ${selection.contact}`;
        if (selection !== null && "body" in selection) {
            this.say(this.run?.scene.bodies[selection.body]?.name ?? "");
        }
    }

    /** The camera goes along with the selected body, or stays again. */
    private follow(): void {
        const on = element("follow").getAttribute("aria-pressed") !== "true";
        const body = this.selection !== null && "body" in this.selection ? this.selection.body : null;
        if (on && body === null) {
            this.notice("Select a body first: click it, or press ].", true);
            return;
        }
        element("follow").setAttribute("aria-pressed", String(on));
        this.stage.follow(on ? body : null);
    }

    /** Films the run from its beginning to its newest moment, and saves it. */
    private async shoot(): Promise<void> {
        const button = element("film");
        if (!this.film.rolling) {
            this.playback.show(0);
            this.playback.playing = true;
            this.film.start();
            button.setAttribute("aria-pressed", "true");
            return;
        }
        button.setAttribute("aria-pressed", "false");
        const film = await this.film.stop();
        if (film !== null && film.size === 0) {
            this.notice("There was no picture in the film yet.", true);
        } else if (film !== null) {
            save(film, this.run?.scene.name ?? "");
            document.body.dataset["film"] = String(film.size);
        }
    }

    private nextBody(by: number): void {
        const count = this.run?.scene.bodies.length ?? 0;
        if (count > 0) {
            const { selection } = this;
            const now = selection !== null && "body" in selection ? selection.body : by > 0 ? -1 : 0;
            this.select({ lane: selection?.lane ?? 0, body: (now + by + count) % count });
        }
    }

    private nextColour(): void {
        const next = COLOURINGS[(COLOURINGS.indexOf(this.look.colouring) + 1) % COLOURINGS.length];
        element<HTMLSelectElement>("colouring").value = next;
        this.colour(next);
    }

    private colour(colouring: Look["colouring"]): void {
        this.look.colouring = colouring;
        this.legend();
    }

    /** What the colours in the picture mean. */
    private legend(): void {
        const colours = palette(this.theme);
        const entries: [string, string][] = [];
        const { colouring } = this.look;
        if (colouring === "motion") {
            entries.push(["moves", colours.moving], ["at rest", colours.rest], ["asleep", colours.asleep]);
        } else if (colouring === "island") {
            entries.push(["an island each", `#${islandColour(this.theme, 0).getHexString()}`], ["alone", colours.open]);
        }
        if (this.look.points || this.look.cones || colouring === "state") {
            entries.push(["stick", colours.stick], ["slip", colours.slip], ["open", colours.open]);
        }
        if (this.look.forces) {
            entries.push(["contact force", colours.arrow]);
        }
        if (this.run?.scene.bodies.some((body) => body.sensor)) {
            entries.push(["sensor", colours.sensor]);
        }
        if (this.run?.scene.joints.some((joint) => joint.driven)) {
            entries.push(["motor", colours.motor]);
        }
        if (this.look.axes) {
            entries.push(...["x", "y", "z"].map((axis, i): [string, string] => [axis, colours.axes[i]]));
        }
        const root = element("key");
        root.hidden = entries.length === 0;
        root.replaceChildren(
            ...entries.map(([text, colour]) => {
                const entry = document.createElement("span");
                const sample = document.createElement("i");
                sample.style.background = colour;
                entry.append(sample, text);
                return entry;
            }),
        );
    }

    private preferredTheme(): Theme {
        const query = window.matchMedia("(prefers-color-scheme: dark)");
        query.addEventListener("change", () => this.paint(query.matches ? "dark" : "light"));
        const chosen = new URLSearchParams(window.location.search).get("theme");
        return chosen === "dark" || chosen === "light" ? chosen : query.matches ? "dark" : "light";
    }

    private paint(theme: Theme, say = false): void {
        this.theme = theme;
        document.documentElement.dataset["theme"] = theme;
        this.stage.paint(theme);
        this.shownKey = "";
        this.legend();
        if (say) {
            this.say(`${theme} colours`);
        }
    }

    private resize(): void {
        this.stage.resize();
        this.labels.place(this.stage.viewports());
    }

    private here(): string {
        const report = this.lanes[0]?.history.nearest(this.playback.index)?.report;
        const residual = report?.velocity ? `, residual ${show(report.velocity.natural)}` : "";
        const missed = report ? misses(report) : [];
        const status = report ? `, ${report.status}${missed.length > 0 ? ` (${missed.join(", ")})` : ""}${residual}` : "";
        return `Step ${this.playback.index}${status}`;
    }

    private say(text: string): void {
        element("announcer").textContent = text;
    }

    private notice(text: string | null, brief: boolean): void {
        const notice = element("notice");
        window.clearTimeout(this.noticeTimer);
        notice.hidden = text === null;
        notice.classList.toggle("brief", brief);
        notice.textContent = text ?? "";
        if (brief) {
            this.noticeTimer = window.setTimeout(() => (notice.hidden = true), 4000);
        }
    }
}
