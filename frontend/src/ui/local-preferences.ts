/** Preferences of the user in this browser. They are not stored if storage is full or forbidden. */
const prefix = 'slowpath-';

export function getPreference(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

export function setPreference(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // storage may be full or forbidden
  }
}
