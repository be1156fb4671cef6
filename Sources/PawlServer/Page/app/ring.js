import { h, svg, toggleAttribute } from "./dom.js";
import { icon, setIcon } from "./icons.js";
import { t } from "./i18n.js";
import { isolate, nameOf, tone } from "./words.js";

const RADIUS = 19;
const LENGTH = 2 * Math.PI * RADIUS;

/// The action of the button in each state; none once the download is done.
const ACTION = { queued: "pause", running: "pause", waiting: "pause", paused: "resume", failed: "retry" };
const PICTURE = { pause: "pause", resume: "play", retry: "retry" };

/// A circle that shows progress, with a button in its middle that toggles.
export class Ring {
  constructor(press) {
    this.arc = svg("circle", { class: "ring-arc", cx: 22, cy: 22, r: RADIUS, "stroke-dasharray": LENGTH, "stroke-dashoffset": LENGTH });
    this.circle = svg("svg", { class: "ring-circle", viewBox: "0 0 44 44", "aria-hidden": "true" });
    this.circle.append(svg("circle", { class: "ring-track", cx: 22, cy: 22, r: RADIUS }), this.arc);
    this.picture = icon("pause", 20);
    this.button = h("button", { type: "button", class: "ring-button", tabindex: "-1", onclick: press }, this.picture);
    this.mark = icon("check", 22);
    this.done = h("span", { class: "ring-done" }, this.mark);
    this.element = h("div", { class: "ring" }, this.circle, this.button, this.done);
  }

  static actionFor(snapshot) {
    return ACTION[snapshot.state] ?? null;
  }

  show(snapshot) {
    const action = Ring.actionFor(snapshot);
    const isUnknown = snapshot.total === null && snapshot.state === "running";
    const part = snapshot.total ? Math.min(1, snapshot.bytes / snapshot.total) : isUnknown ? 0.25 : 0;
    toggleAttribute(this.arc, "stroke-dashoffset", (LENGTH * (1 - part)).toFixed(2));
    this.element.classList.toggle("is-unknown", isUnknown);
    this.element.classList.toggle("is-done", action === null);
    this.button.hidden = action === null;
    this.done.hidden = action !== null;
    if (action === null) return setIcon(this.mark, tone(snapshot) === "completed" ? "check" : "warning");
    setIcon(this.picture, PICTURE[action]);
    toggleAttribute(this.button, "aria-label", t(`action.${action}.named`, { name: isolate(nameOf(snapshot)) }));
  }
}
