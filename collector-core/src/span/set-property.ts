/** Sets a property with any key. Defines a key `__proto__`, because an assignment would set the prototype. */
export function setProperty<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
