import { $$ } from "./dom.js";
import { icon } from "./icons.js";

/// Puts icons where the document says `data-icon`.
export function placeIcons() {
  for (const place of $$("[data-icon]")) place.prepend(icon(place.dataset.icon));
}
