const METALINKS = { ".meta4": "application/metalink4+xml", ".metalink": "application/metalink+xml" };
const LARGEST = 2 * 1024 * 1024;

/// The web addresses in a text, each once. Only http and https: nothing else ever becomes a download or a link.
export function findURLs(text) {
  const found = new Set();
  for (const word of text.split(/[\s<>"]+/)) {
    if (!/^https?:\/\//i.test(word)) continue;
    try {
      found.add(new URL(word).href);
    } catch {
      // Not an address; the field shows how many were found.
    }
  }
  return [...found];
}

/// The type to send a document as. Null if the page does not take such files.
export function documentType(name) {
  const lower = name.toLowerCase();
  for (const [ending, type] of Object.entries(METALINKS)) if (lower.endsWith(ending)) return type;
  return lower.endsWith(".txt") ? "text/plain" : null;
}

export const isTooLarge = (file) => file.size > LARGEST;

/// What was dropped or pasted.
export function contentsOf(transfer) {
  const files = [...transfer.files];
  const list = transfer.getData("text/uri-list") || transfer.getData("text/plain");
  const lines = list.split("\n").filter((line) => !line.startsWith("#")).join("\n");
  return { files, urls: findURLs(lines) };
}
