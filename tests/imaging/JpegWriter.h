// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// JPEGs of every kind of sampling, which OpenCV does not write.

#include <cstdio>
#include <cstdlib>
#include <string>

// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include "core/imaging/codecs/Image.h"

namespace headlight::test {

struct JpegKind {
  int across = 1;  ///< pixels of a color sample
  int down = 1;
  bool gray = false;
  bool progressive = false;
  int restartRows = 0;
};

inline std::string encodeJpeg(const Image& image, const JpegKind& kind, int quality = 85) {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &bytes, &size);
  state.image_width = static_cast<JDIMENSION>(image.width);
  state.image_height = static_cast<JDIMENSION>(image.height);
  state.input_components = 3;
  state.in_color_space = JCS_RGB;
  jpeg_set_defaults(&state);
  if (kind.gray) jpeg_set_colorspace(&state, JCS_GRAYSCALE);
  jpeg_set_quality(&state, quality, TRUE);
  state.comp_info[0].h_samp_factor = kind.gray ? 1 : kind.across;
  state.comp_info[0].v_samp_factor = kind.gray ? 1 : kind.down;
  state.restart_in_rows = kind.restartRows;
  if (kind.progressive) jpeg_simple_progression(&state);
  jpeg_start_compress(&state, TRUE);
  while (state.next_scanline < state.image_height) {
    auto* row = const_cast<JSAMPROW>(image.row(static_cast<int>(state.next_scanline)));
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  std::string encoded(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return encoded;
}

}  // namespace headlight::test
