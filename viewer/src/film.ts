// A film of the run as the canvas shows it, made and saved by the browser.

/** Pictures per second. */
const RATE = 30;
/** [bit/s]: lines and small type stay sharp at the size of a window. */
const QUALITY = 8e6;
const FORMATS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

export class Film {
    private recorder: MediaRecorder | null = null;
    private parts: Blob[] = [];

    constructor(private readonly canvas: HTMLCanvasElement) {}

    get rolling(): boolean {
        return this.recorder !== null;
    }

    /** Whether there is a picture in it yet: a slow machine may be at the end of a short run before the first. */
    get pictured(): boolean {
        return this.parts.some((part) => part.size > 0);
    }

    /** Whether this browser can. */
    static possible(): boolean {
        return typeof MediaRecorder !== "undefined" && FORMATS.some((format) => MediaRecorder.isTypeSupported(format));
    }

    start(): void {
        const format = FORMATS.find((each) => MediaRecorder.isTypeSupported(each));
        if (format === undefined || this.recorder !== null) {
            return;
        }
        const recorder = new MediaRecorder(this.canvas.captureStream(RATE), { mimeType: format, videoBitsPerSecond: QUALITY });
        this.parts = [];
        recorder.addEventListener("dataavailable", (event) => this.parts.push(event.data));
        recorder.start(1000);
        this.recorder = recorder;
    }

    /** Ends it; the film, or null if none was being made. */
    stop(): Promise<Blob | null> {
        const { recorder } = this;
        this.recorder = null;
        if (recorder === null) {
            return Promise.resolve(null);
        }
        return new Promise((resolve) => {
            recorder.addEventListener("stop", () => {
                recorder.stream.getTracks().forEach((track) => track.stop());
                resolve(new Blob(this.parts, { type: recorder.mimeType }));
            });
            recorder.stop();
        });
    }
}

/** Saves a film under the name of a scene. */
export function save(film: Blob, scene: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(film);
    link.download = `${scene.replace(/[^\w-]+/g, "_") || "scene"}.${film.type.includes("mp4") ? "mp4" : "webm"}`;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
