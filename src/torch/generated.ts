export interface TensorMethods {}
