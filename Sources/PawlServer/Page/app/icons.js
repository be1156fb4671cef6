import { svg } from "./dom.js";

// Drawn on a grid of 24.
const PATHS = {
  pause: "M8 5v14M16 5v14",
  play: "M8 5.2v13.6L19 12z",
  retry: "M19 12a7 7 0 1 1-2.2-5.1M19 3.5V8h-4.5",
  check: "M5 12.5 10 17.5 19.5 7",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  save: "M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14",
  copy: "M9 9h10v11H9zM5 15V4h10",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 13h8.4L17 7M10.3 10.5v6M13.7 10.5v6",
  more: "M12 5.5v.01M12 12v.01M12 18.5v.01",
  grip: "M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20",
  gauge: "M4.5 18a9 9 0 1 1 15 0M12 14l4-5",
  top: "M5 4.5h14M12 20V9m-4.5 4.5L12 9l4.5 4.5",
  up: "M12 19V6m-5 5 5-5 5 5",
  down: "M12 5v13m-5-5 5 5 5-5",
  bottom: "M5 19.5h14M12 4v11m-4.5-4.5L12 15l4.5-4.5",
  back: "M15 5l-7 7 7 7",
  warning: "M12 4 2.8 20h18.4zM12 10v4.5M12 17.3v.01",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5.2l3.2 2",
  folder: "M3.5 18.5v-12h6l2 2.5h9v9.5z",
  file: "M6 3.5h8l4 4v13H6zM14 3.5v4h4",
  select: "M4 6.5l1.5 1.5L8.5 5M4 16.5l1.5 1.5 3-3M12 7h8M12 17h8",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
};
const FILLED = new Set(["play"]);

export function icon(name, size = 20) {
  const picture = svg("svg", { viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true", class: `icon icon-${name}` });
  const path = svg("path", { d: PATHS[name] });
  if (FILLED.has(name)) path.setAttribute("fill", "currentColor");
  picture.append(path);
  return picture;
}

export function setIcon(picture, name) {
  if (picture.dataset.name === name) return;
  picture.dataset.name = name;
  const path = picture.firstChild;
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("fill", FILLED.has(name) ? "currentColor" : "none");
}
