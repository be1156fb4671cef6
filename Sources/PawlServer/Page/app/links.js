const METALINKS = { ".meta4": "application/metalink4+xml", ".metalink": "application/metalink+xml" };
const LARGEST = 2 * 1024 * 1024;

/// The links of a text as the field takes them: web addresses, and command lines of curl as browsers copy them. Only
/// http and https: nothing else ever becomes a download or a link.
export function findLinks(text) {
  return readLinks(text).jobs.map(textOf);
}

/// Which of the field's text is a job.
export const textOf = (job) => job.curl ?? job.url;

/// The address in a job, for showing it.
export const addressOf = (job) => job.url ?? /https?:\/\/[^\s'"^]+/i.exec(job.curl ?? "")?.[0] ?? job.metalink ?? "";

/// The jobs that a text names, each once, how many were named again, and the lines that name none.
export function readLinks(text) {
  const found = new Map();
  let repeated = 0;
  const unread = [];
  const take = (job) => {
    if (found.has(textOf(job))) repeated += 1;
    found.set(textOf(job), job);
  };
  for (const line of commandLines(text)) {
    if (isCurl(line)) {
      take({ curl: line.trim() });
      continue;
    }
    const urls = line.split(/[\s<>"]+/).map(linkOf).filter(Boolean);
    for (const url of urls) take({ url });
    if (!urls.length && line.trim()) unread.push(line.trim());
  }
  return { jobs: [...found.values()], repeated, unread };
}

const isCurl = (line) => /^\s*curl(\.exe)?\s/.test(line);

/// The lines of a text. Those of a curl command that end in a backslash, or in a caret, go on in the next.
function commandLines(text) {
  const lines = [];
  let isOpen = false;
  for (const line of text.split(/\r?\n/)) {
    if (isOpen) lines[lines.length - 1] += `\n${line}`;
    else lines.push(line);
    isOpen = isCurl(lines[lines.length - 1]) && /[\\^]$/.test(line);
  }
  return lines;
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

/// Returns the files and URLs that were dropped or pasted.
export function contentsOf(transfer) {
  const files = [...transfer.files];
  const list = transfer.getData("text/uri-list") || transfer.getData("text/plain");
  const lines = list.split("\n").filter((line) => !line.startsWith("#")).join("\n");
  return { files, links: findLinks(lines) };
}
