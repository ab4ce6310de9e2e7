import type { Device } from '../device.ts';

/** What a kind of GPU does not have of what WebGL can have. */
export interface WebGlLimits {
  /** The largest value of a parameter, by the parameter's number. A smaller one that the machine has stays. */
  parameters: Readonly<Record<number, number>>;
  hiddenExtensions: readonly string[];
  /** Whether shaders calculate with full precision whatever they ask for. */
  isFullPrecision: boolean;
}

const number = {
  ALIASED_POINT_SIZE_RANGE: 0x846d,
  MAX_TEXTURE_SIZE: 0x0d33,
  MAX_CUBE_MAP_TEXTURE_SIZE: 0x851c,
  MAX_VERTEX_UNIFORM_VECTORS: 0x8dfb,
  MAX_FRAGMENT_UNIFORM_VECTORS: 0x8dfd,
  MAX_VARYING_VECTORS: 0x8dfc,
  MAX_TEXTURE_IMAGE_UNITS: 0x8872,
  MAX_VERTEX_TEXTURE_IMAGE_UNITS: 0x8b4c,
  MAX_COMBINED_TEXTURE_IMAGE_UNITS: 0x8b4d,
  MAX_TEXTURE_LOD_BIAS: 0x84fd,
  MAX_VERTEX_UNIFORM_COMPONENTS: 0x8b4a,
  MAX_FRAGMENT_UNIFORM_COMPONENTS: 0x8b49,
  MAX_VARYING_COMPONENTS: 0x8b4b,
  MAX_VERTEX_OUTPUT_COMPONENTS: 0x9122,
  MAX_FRAGMENT_INPUT_COMPONENTS: 0x9125,
  MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS: 0x8c8a,
  MAX_VERTEX_UNIFORM_BLOCKS: 0x8a2b,
  MAX_FRAGMENT_UNIFORM_BLOCKS: 0x8a2d,
  MAX_COMBINED_UNIFORM_BLOCKS: 0x8a2e,
  MAX_UNIFORM_BUFFER_BINDINGS: 0x8a2f,
  MAX_UNIFORM_BLOCK_SIZE: 0x8a30,
  MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS: 0x8a31,
  MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS: 0x8a33,
} as const;

interface Shape {
  pointSize: number;
  textureSize?: number;
  cubeMapSize?: number;
  /** In the vertex shader, and in the fragment shader. */
  uniformVectors: readonly [number, number];
  varyingVectors: number;
  /** In each shader, and in both together. */
  textureUnits: readonly [number, number];
  /** In each shader, and in both together. */
  uniformBlocks: readonly [number, number];
  uniformBlockBytes: number;
  lodBias?: number;
}

/** The parameters of WebGL 1 and 2. Chromium computes many of them from a few. */
function parametersOf(shape: Shape): Record<number, number> {
  const [vertexVectors, fragmentVectors] = shape.uniformVectors;
  const [unitsEach, unitsTogether] = shape.textureUnits;
  const [blocksEach, blocksTogether] = shape.uniformBlocks;
  const blockComponents = (blocksEach * shape.uniformBlockBytes) / 4;
  const varyingComponents = shape.varyingVectors * 4;
  return {
    [number.ALIASED_POINT_SIZE_RANGE]: shape.pointSize,
    ...(shape.textureSize && { [number.MAX_TEXTURE_SIZE]: shape.textureSize }),
    ...(shape.cubeMapSize && { [number.MAX_CUBE_MAP_TEXTURE_SIZE]: shape.cubeMapSize }),
    ...(shape.lodBias && { [number.MAX_TEXTURE_LOD_BIAS]: shape.lodBias }),
    [number.MAX_VERTEX_UNIFORM_VECTORS]: vertexVectors,
    [number.MAX_FRAGMENT_UNIFORM_VECTORS]: fragmentVectors,
    [number.MAX_VERTEX_UNIFORM_COMPONENTS]: vertexVectors * 4,
    [number.MAX_FRAGMENT_UNIFORM_COMPONENTS]: fragmentVectors * 4,
    [number.MAX_VARYING_VECTORS]: shape.varyingVectors,
    [number.MAX_VARYING_COMPONENTS]: varyingComponents,
    [number.MAX_VERTEX_OUTPUT_COMPONENTS]: varyingComponents,
    [number.MAX_FRAGMENT_INPUT_COMPONENTS]: varyingComponents,
    [number.MAX_TEXTURE_IMAGE_UNITS]: unitsEach,
    [number.MAX_VERTEX_TEXTURE_IMAGE_UNITS]: unitsEach,
    [number.MAX_COMBINED_TEXTURE_IMAGE_UNITS]: unitsTogether,
    [number.MAX_VERTEX_UNIFORM_BLOCKS]: blocksEach,
    [number.MAX_FRAGMENT_UNIFORM_BLOCKS]: blocksEach,
    [number.MAX_COMBINED_UNIFORM_BLOCKS]: blocksTogether,
    [number.MAX_UNIFORM_BUFFER_BINDINGS]: blocksTogether,
    [number.MAX_UNIFORM_BLOCK_SIZE]: shape.uniformBlockBytes,
    [number.MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS]: vertexVectors * 4 + blockComponents,
    [number.MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS]: fragmentVectors * 4 + blockComponents,
  };
}

const mobileTextures = [
  'WEBGL_compressed_texture_astc',
  'WEBGL_compressed_texture_etc',
  'WEBGL_compressed_texture_etc1',
  'WEBGL_compressed_texture_pvrtc',
];

/** Extensions that ANGLE adds to OpenGL and Direct3D, and formats of desktops. Phones have neither. */
const missingOnPhones = [
  'EXT_clip_control',
  'EXT_conservative_depth',
  'EXT_depth_clamp',
  'EXT_disjoint_timer_query',
  'EXT_disjoint_timer_query_webgl2',
  'EXT_frag_depth',
  'EXT_polygon_offset_clamp',
  'EXT_render_snorm',
  'EXT_shader_texture_lod',
  'EXT_texture_compression_bptc',
  'EXT_texture_compression_rgtc',
  'EXT_texture_mirror_clamp_to_edge',
  'EXT_texture_norm16',
  'KHR_parallel_shader_compile',
  'NV_shader_noperspective_interpolation',
  'OES_sample_variables',
  'OES_shader_multisample_interpolation',
  'WEBGL_blend_func_extended',
  'WEBGL_clip_cull_distance',
  'WEBGL_compressed_texture_pvrtc',
  'WEBGL_compressed_texture_s3tc',
  'WEBGL_compressed_texture_s3tc_srgb',
  'WEBGL_draw_buffers',
  'WEBGL_polygon_mode',
  'WEBGL_provoking_vertex',
  'WEBGL_render_shared_exponent',
  'WEBGL_stencil_texturing',
];

/** Direct3D 11. Its numbers depend on the feature level; a register less is NVIDIA's (renderer11_utils.cpp in ANGLE). */
function direct3d(isNvidia: boolean): WebGlLimits {
  return {
    parameters: {
      ...parametersOf({
        pointSize: 1024,
        uniformVectors: [isNvidia ? 4095 : 4096, 1024],
        varyingVectors: 30,
        textureUnits: [16, 32],
        uniformBlocks: [12, 24],
        uniformBlockBytes: 65536,
        lodBias: 2,
      }),
      [number.MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS]: 120,
    },
    hiddenExtensions: mobileTextures,
    isFullPrecision: true,
  };
}

/** Metal on a Mac: constants for every GPU (DisplayMtl.mm in ANGLE). */
const metal: WebGlLimits = {
  parameters: parametersOf({
    pointSize: 511,
    uniformVectors: [1024, 1024],
    varyingVectors: 30,
    textureUnits: [16, 32],
    uniformBlocks: [16, 32],
    uniformBlockBytes: 16384,
  }),
  hiddenExtensions: ['OVR_multiview2'],
  isFullPrecision: true,
};

/** OpenGL and OpenGL ES on Linux. ANGLE allows 1024 uniform vectors there (renderergl_utils.cpp). */
function openGl(vendor: string): WebGlLimits {
  const isNvidia = vendor.includes('NVIDIA');
  return {
    parameters: parametersOf({
      pointSize: vendor.includes('Intel') ? 255 : 2047,
      uniformVectors: [1024, 1024],
      varyingVectors: isNvidia ? 31 : 32,
      textureUnits: [32, 64],
      uniformBlocks: isNvidia ? [14, 84] : [15, 90],
      uniformBlockBytes: 65536,
    }),
    hiddenExtensions: isNvidia ? mobileTextures : ['WEBGL_compressed_texture_pvrtc'],
    isFullPrecision: true,
  };
}

const adreno: WebGlLimits = {
  parameters: parametersOf({
    pointSize: 1023,
    textureSize: 4096,
    cubeMapSize: 4096,
    uniformVectors: [256, 256],
    varyingVectors: 31,
    textureUnits: [16, 96],
    uniformBlocks: [14, 84],
    uniformBlockBytes: 65536,
  }),
  hiddenExtensions: missingOnPhones,
  isFullPrecision: false,
};

const mali: WebGlLimits = {
  parameters: parametersOf({
    pointSize: 1024,
    textureSize: 8192,
    cubeMapSize: 8192,
    uniformVectors: [1024, 1024],
    varyingVectors: 15,
    textureUnits: [16, 96],
    uniformBlocks: [12, 36],
    uniformBlockBytes: 65536,
  }),
  hiddenExtensions: missingOnPhones,
  isFullPrecision: false,
};

/** What WebGL may say under a GPU's name. */
export function webGlLimits({ vendor, renderer }: Device['gpu']): WebGlLimits {
  if (renderer.includes('Direct3D11')) return direct3d(vendor.includes('NVIDIA'));
  if (renderer.includes('Metal')) return metal;
  if (renderer.startsWith('Adreno')) return adreno;
  if (renderer.startsWith('Mali')) return mali;
  return openGl(vendor);
}
