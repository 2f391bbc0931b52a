// The choice of scene and methods, where the server allows it.

import type { LaneRequest, Run, Welcome } from "./protocol";

const NOBODY = "";

function select(id: string): HTMLSelectElement {
    return document.getElementById(id) as HTMLSelectElement;
}

export class Setup {
    private readonly form = document.getElementById("setup") as HTMLFormElement;
    private readonly scene = select("scene-choice");
    private readonly first = select("method-a");
    private readonly second = select("method-b");
    private readonly iterations = document.getElementById("iterations-b") as HTMLInputElement;
    private readonly iterationsLabel = document.getElementById("iterations-label") as HTMLElement;

    constructor(private readonly open: (scene: string, lanes: LaneRequest[]) => void) {
        this.form.addEventListener("submit", (event) => event.preventDefault());
        for (const field of [this.scene, this.first, this.second, this.iterations]) {
            field.addEventListener("change", () => this.changed());
        }
    }

    offer(welcome: Welcome): void {
        this.form.hidden = !welcome.control;
        this.scene.replaceChildren(
            ...welcome.scenes.map(({ name, description }) => {
                const option = new Option(name, name);
                option.title = description;
                return option;
            }),
        );
        const methods = (): HTMLOptionElement[] => welcome.methods.map((name) => new Option(name, name));
        this.first.replaceChildren(...methods());
        this.second.replaceChildren(new Option("nothing", NOBODY), ...methods());
    }

    /** Shows what is running. */
    chosen(run: Run): void {
        this.scene.value = run.scene.name;
        this.first.value = run.lanes[0]?.method ?? "";
        this.second.value = run.lanes[1]?.method ?? NOBODY;
        this.iterations.value = run.lanes[1]?.max_iterations?.toString() ?? "";
        this.iterationsLabel.hidden = run.lanes.length < 2;
    }

    private changed(): void {
        if (!this.form.reportValidity()) {
            return;
        }
        const lanes: LaneRequest[] = [{ method: this.first.value }];
        if (this.second.value !== NOBODY) {
            const most = Number(this.iterations.value);
            lanes.push({ method: this.second.value, ...(most > 0 ? { max_iterations: most } : {}) });
        }
        this.open(this.scene.value, lanes);
    }
}
