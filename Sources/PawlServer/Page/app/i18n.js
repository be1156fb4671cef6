import { $$ } from "./dom.js";

/// A language is a file in lang/. To add one, copy en.json, translate its values and list it here.
export const LANGUAGES = { en: "English", zh: "中文" };

let words = {};
let fallback = {};
let plurals = new Intl.PluralRules("en");
export let language = "en";
/// How numbers and dates look: as in the region of the browser, if it speaks the same language.
export let locale = "en";

function preferred() {
  const chosen = read("pawl.language");
  for (const tag of [chosen, ...navigator.languages]) {
    const base = (tag ?? "").toLowerCase().split("-")[0];
    if (base in LANGUAGES) return base;
  }
  return "en";
}

async function load(name) {
  const answer = await fetch(`lang/${name}.json`);
  return answer.ok ? answer.json() : {};
}

export async function loadLanguage() {
  language = preferred();
  locale = navigator.languages.find((tag) => tag.toLowerCase().split("-")[0] === language) ?? language;
  plurals = new Intl.PluralRules(language);
  [words, fallback] = await Promise.all([load(language), language === "en" ? {} : load("en")]);
  document.documentElement.lang = language === "zh" ? "zh-Hans" : language;
  translate(document);
}

export function chooseLanguage(name) {
  write("pawl.language", name);
  location.reload();
}

export const has = (key) => key in words;

/// The text for a key, with `{name}` replaced. A `count` chooses among `key.one` and `key.other`.
export function t(key, values = {}) {
  const counted = "count" in values ? `${key}.${plurals.select(values.count)}` : key;
  const text = words[counted] ?? words[`${key}.other`] ?? words[key] ?? fallback[counted] ?? fallback[`${key}.other`] ?? fallback[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/// Fills in `data-t` (text) and `data-t-label`, `data-t-placeholder` (attributes).
export function translate(root) {
  for (const element of $$("[data-t]", root)) element.textContent = t(element.dataset.t);
  for (const element of $$("[data-t-label]", root)) element.setAttribute("aria-label", t(element.dataset.tLabel));
  for (const element of $$("[data-t-title]", root)) {
    element.setAttribute("aria-label", t(element.dataset.tTitle));
    element.title = t(element.dataset.tTitle);
  }
  for (const element of $$("[data-t-placeholder]", root)) element.placeholder = t(element.dataset.tPlaceholder);
}

// A browser may forbid storage; the page then works without memory.
export function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function write(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {}
}
