/** Values that walks of others do not come through. */

/** An object in an object, so many levels deep. */
export function deepObject(levels: number, bottom: unknown = "bottom"): unknown {
  let value = bottom;
  for (let level = 0; level < levels; level++) value = { deep: value };
  return value;
}

/** A list in a list. */
export function deepArray(levels: number, bottom: unknown = "bottom"): unknown {
  let value = bottom;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** Two to the `levels` ways to the same leaf, in so many objects. */
export function shared(levels: number): unknown {
  let value: unknown = { leaf: true };
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
}
