// The editor of scene files, where the page simulates for itself. What is wrong is said while one types, with its line.

import type { Request } from "./protocol";

/** A pause in typing after which the text is checked [ms]. */
const PAUSE = 250;

export class Editor {
    private readonly dialog = document.getElementById("editor") as HTMLDialogElement;
    private readonly text = document.getElementById("editor-text") as HTMLTextAreaElement;
    private readonly error = document.getElementById("editor-error") as HTMLElement;
    private readonly run = document.getElementById("editor-run") as HTMLButtonElement;
    private timer = 0;

    constructor(
        private readonly send: (request: Request) => void,
        private readonly scene: () => string,
    ) {
        const open = document.getElementById("editor-open") as HTMLButtonElement;
        open.addEventListener("click", () => this.open());
        this.text.addEventListener("input", () => {
            window.clearTimeout(this.timer);
            this.timer = window.setTimeout(() => this.check(), PAUSE);
        });
        this.run.addEventListener("click", () => {
            this.send({ type: "open_text", text: this.text.value, lanes: [{}] });
            this.dialog.close();
        });
        this.error.addEventListener("click", () => this.toError());
    }

    get isOpen(): boolean {
        return this.dialog.open;
    }

    offer(possible: boolean): void {
        (document.getElementById("editor-open") as HTMLElement).hidden = !possible;
    }

    /** The file of the scene that runs. */
    show(text: string): void {
        this.text.value = text;
        this.checked(null);
    }

    checked(message: string | null): void {
        this.error.textContent = message ?? "This scene can be run.";
        this.error.classList.toggle("bad", message !== null);
        this.run.disabled = message !== null;
    }

    private open(): void {
        this.dialog.showModal();
        this.send({ type: "scene_text", scene: this.scene() });
    }

    private check(): void {
        this.send({ type: "check", text: this.text.value });
    }

    /** Puts the cursor where the error is: `line:column: what`. */
    private toError(): void {
        const place = /^(\d+):(\d+):/.exec(this.error.textContent ?? "");
        if (place !== null) {
            const lines = this.text.value.split("\n");
            const before = lines.slice(0, Number(place[1]) - 1).reduce((sum, line) => sum + line.length + 1, 0);
            const at = before + Number(place[2]) - 1;
            this.text.focus();
            this.text.setSelectionRange(at, at);
        }
    }
}
