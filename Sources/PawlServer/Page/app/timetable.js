import { $, h } from "./dom.js";
import { parseRate, rate } from "./format.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";

const DAYS = ["", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const PAUSE = "pause";

/// `08:00,512k Mon-19:00,off` as entries (docs/speed-limits.md). Null if it has another form.
export function parseTimetable(text) {
  const entries = [];
  for (const word of text.trim().split(/[\s;]+/)) {
    const match = /^(?:(Mon|Tue|Wed|Thu|Fri|Sat|Sun)-)?(\d{1,2}:\d{2}),(.+)$/i.exec(word);
    const limit = match && (["off", PAUSE].includes(match[3]) ? match[3] : parseRate(match[3]));
    if (!limit) return null;
    entries.push({ day: DAYS.find((day) => day.toLowerCase() === (match[1] ?? "").toLowerCase()), time: match[2].padStart(5, "0"), limit });
  }
  return entries;
}

export function writeTimetable(entries) {
  return entries.map(({ day, time, limit }) => `${day ? `${day}-` : ""}${time},${limit}`).join(" ");
}

/// The rows in which a timetable is edited.
export class TimetableEditor {
  constructor() {
    this.element = $("#timetable");
    $("#timetable-add").addEventListener("click", () => this.#append({ day: "", time: "22:00", limit: "off" }).querySelector("select").focus());
  }

  show(entries) {
    this.element.replaceChildren();
    for (const entry of entries) this.#append(entry);
  }

  /// Null if a row cannot be used; that row has the focus then.
  read() {
    const entries = [];
    for (const row of this.element.children) {
      const [day, time, limit] = row.querySelectorAll("select, input");
      const words = limit.value.trim();
      const isPause = [PAUSE, t("timetable.pause")].includes(words.toLowerCase());
      const value = isPause ? PAUSE : words ? parseRate(words) : "off";
      limit.setAttribute("aria-invalid", String(!value));
      if (!value || !time.value) {
        (value ? time : limit).focus();
        return null;
      }
      entries.push({ day: day.value, time: time.value, limit: value });
    }
    return entries;
  }

  #append({ day, time, limit }) {
    const choice = h("select", { class: "field", "aria-label": t("timetable.day") }, ...DAYS.map((name) => h("option", { value: name }, t(`day.${name || "every"}`))));
    choice.value = day;
    const clock = h("input", { class: "field", type: "time", required: true, value: time, "aria-label": t("timetable.from") });
    const field = h("input", { class: "field", value: limit === "off" ? "" : limit === PAUSE ? t("timetable.pause") : rate(limit), placeholder: t("limits.none"), autocomplete: "off", "aria-label": t("timetable.limit") });
    const remove = h("button", { type: "button", class: "icon-button", "aria-label": t("timetable.remove"), title: t("timetable.remove") }, icon("close"));
    const row = h("li", { class: "timetable-row" }, choice, clock, field, remove);
    remove.addEventListener("click", () => {
      row.remove();
      $("#timetable-add").focus();
    });
    this.element.append(row);
    return row;
  }
}
