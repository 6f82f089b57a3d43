// ONNX files of a single operator, written by hand: the format is protobuf, of which this needs little.

const FLOAT = { float32: 1, float64: 11, float16: 10, bfloat16: 16 };

const varint = (value) => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
};
const integer = (field, value) => [...varint(field << 3), ...varint(value)];
const bytes = (field, content) => [...varint((field << 3) | 2), ...varint(content.length), ...content];
const text = (field, value) => bytes(field, [...Buffer.from(value)]);

/** ValueInfoProto */
function value(name, dtype, shape) {
  const dimensions = shape.flatMap((size) => bytes(1, integer(1, size)));
  const tensor = [...integer(1, FLOAT[dtype]), ...bytes(2, dimensions)];
  return [...text(1, name), ...bytes(2, bytes(1, tensor))];
}

/**
 * `attributes` are whole numbers.
 * @returns the bytes of a model with inputs a, b … and the output y
 */
export function model(operator, dtype, inputs, output, attributes = {}) {
  const names = inputs.map((_, i) => String.fromCharCode(97 + i));
  const node = [
    ...names.flatMap((name) => text(1, name)),
    ...text(2, 'y'),
    ...text(4, operator),
    ...Object.entries(attributes).flatMap(([name, number]) =>
      bytes(5, [...text(1, name), ...integer(3, number), ...integer(20, 2)]),
    ),
  ];
  const graph = [
    ...bytes(1, node),
    ...text(2, 'graph'),
    ...inputs.flatMap((shape, i) => bytes(11, value(names[i], dtype, shape))),
    ...bytes(12, value('y', dtype, output)),
  ];
  return Uint8Array.from([...integer(1, 9), ...bytes(7, graph), ...bytes(8, integer(2, 20))]);
}
