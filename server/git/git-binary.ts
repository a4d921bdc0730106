export interface GitBinary {
  readonly path: string;
  readonly version: string;
}
