import { fileQuery, sessionHeaders } from "./session.js";

/// An error as the service words it (RFC 9457).
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? "unknown";
    this.hint = body.hint ?? null;
    this.fields = body.fields ?? [];
    this.download = body.id ?? null;
  }
}

/// No answer came.
export class Unreachable extends Error {}

const BASE = "api/v1/";

export function goToLogin() {
  location.assign("login.html");
}

async function request(method, path, { body, type, signal, headers = {} } = {}) {
  const options = { method, signal, headers: { Accept: "application/json", ...sessionHeaders(), ...headers }, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["Content-Type"] = type ?? "application/json";
    options.body = type ? body : JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(BASE + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable(error.message);
  }
  if (answer.status === 401) goToLogin();
  if (!answer.ok) throw new Problem(answer.status, await answer.json().catch(() => ({})));
  return answer.status === 204 ? null : answer.json();
}

export const get = (path, options) => request("GET", path, options);
export const post = (path, body, options) => request("POST", path, { ...options, body });
export const patch = (path, body, options) => request("PATCH", path, { ...options, body });

export const actOn = (id, action) => post(`downloads/${id}/${action}`);
export const act = (action, target, more = {}) => post("downloads/actions", { action, ...target, ...more });
export function fileURL(id, index = 0) {
  const query = new URLSearchParams({ ...(index ? { index } : {}), ...fileQuery() }).toString();
  return `${BASE}downloads/${id}/file${query && `?${query}`}`;
}
export const eventsURL = `${BASE}events`;

export function listPath({ states, q, sort }, offset, limit) {
  const query = new URLSearchParams({ sort, offset, limit });
  if (states.length) query.set("state", states.join(","));
  if (q) query.set("q", q);
  return `downloads?${query}`;
}
