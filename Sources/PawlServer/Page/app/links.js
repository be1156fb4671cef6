const METALINKS = { ".meta4": "application/metalink4+xml", ".metalink": "application/metalink+xml" };
const LARGEST = 2 * 1024 * 1024;

/// The web addresses in a text, each once. Only http and https: nothing else ever becomes a download or a link.
export function findURLs(text) {
  return readLinks(text).urls;
}

/// The same, with how many were named again, and the lines that hold none.
export function readLinks(text) {
  const found = new Set();
  let repeated = 0;
  const unread = [];
  for (const line of text.split("\n")) {
    let isRead = !line.trim();
    for (const word of line.split(/[\s<>"]+/)) {
      const url = linkOf(word);
      if (!url) continue;
      isRead = true;
      if (found.has(url)) repeated += 1;
      found.add(url);
    }
    if (!isRead) unread.push(line.trim());
  }
  return { urls: [...found], repeated, unread };
}

function linkOf(word) {
  if (!/^https?:\/\//i.test(word)) return null;
  try {
    return new URL(word).href;
  } catch {
    return null;
  }
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
