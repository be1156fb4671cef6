/// The half of a session that the page keeps. The cookie opens nothing without it: browsers send cookies to every port of a
/// host, but storage belongs to the port. Services behind one proxy share the port, so each has a name of its own.
const NAME = `pawl.session ${new URL(".", location.href).pathname}`;

/// - Throws: where the browser lets the page store nothing.
export function keepSession({ key, fileKey }) {
  localStorage.setItem(NAME, JSON.stringify({ key, fileKey }));
}

export function forgetSession() {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Then nothing was kept.
  }
}

function session() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) ?? {};
  } catch {
    return {};
  }
}

export function sessionHeaders({ key } = session()) {
  return key ? { "X-Pawl-Session-Key": key } : {};
}

/// A query that opens the URL of a finished file, which has no header fields of ours.
export function fileQuery() {
  const { fileKey } = session();
  return fileKey ? { key: fileKey } : {};
}

/// Takes the keys that a link which logs in has in its fragment, and leaves the address without them. Any page can link here with
/// keys that it made up, so they replace those that are kept only if the service accepts them together with the cookie.
export async function takeSessionFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("key")) return;
  history.replaceState(null, "", location.pathname + location.search);
  const session = { key: given.get("key"), fileKey: given.get("fileKey") };
  try {
    const answer = await fetch("api/v1/version", { headers: sessionHeaders(session), credentials: "same-origin" });
    if (answer.ok) keepSession(session);
  } catch {
    // No answer, a key that no header field can have, or nothing can be stored: the first call leads to the login, which says so.
  }
}
