// SPDX-License-Identifier: GPL-3.0-or-later

// Decoders.h: JPEG: the only file that knows libjpeg.

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <string>

// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <jerror.h>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"

namespace headlight {
namespace {

/// libjpeg reports through its first member; the rest is ours.
struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
  bool unsupported;
};

[[noreturn]] void leave(j_common_ptr state) {
  auto* errors = reinterpret_cast<JpegErrors*>(state->err);
  (*errors->base.format_message)(state, errors->message);
  const int code = errors->base.msg_code;
  errors->unsupported = code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED ||
                        code == JERR_CONVERSION_NOTIMPL || code == JERR_ARITH_NOTIMPL ||
                        code == JERR_IMAGE_TOO_BIG;
  std::longjmp(errors->jump, 1);
}

/// Warnings (level < 0) that mean missing or unreadable pixels end the decoding; others, such as
/// stray bytes between markers, are common and harmless.
void onMessage(j_common_ptr state, int level) {
  if (level >= 0) return;
  const int code = state->err->msg_code;
  if (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF || code == JWRN_HUFF_BAD_CODE ||
      code == JWRN_MUST_RESYNC || code == JWRN_ARITH_BAD_CODE)
    leave(state);
}

void saySilently(j_common_ptr) {}

/// `cmyk` is one row. What Pillow does: R = (255 − K)·(255 − C)/255. Adobe stores all four
/// inverted.
void cmykToRgb(const std::uint8_t* cmyk, std::uint8_t* rgb, JDIMENSION width, bool inverted) {
  const std::uint32_t flip = inverted ? 0 : 255;
  for (JDIMENSION x = 0; x < width; ++x, cmyk += 4, rgb += 3)
    for (int c = 0; c < 3; ++c)
      rgb[c] = static_cast<std::uint8_t>(((cmyk[c] ^ flip) * (cmyk[3] ^ flip) + 127) / 255);
}

/// What longjmp passes over: plain data only, so that no destructor is skipped.
struct JpegTarget {
  std::uint8_t* pixels;  ///< part.width·part.height·3
  std::uint8_t* row;     ///< of the whole reduced width, four bytes a pixel
  std::int64_t width;    ///< of the whole, as the header says
  std::int64_t height;
  JpegPart part;
  bool sizeDiffers;
};

bool isWholeWidth(const jpeg_decompress_struct& state, const JpegPart& part) {
  return part.width == std::int64_t(state.output_width);
}

/// Columns that need not be computed are left out, but for those that colors are smoothed from.
/// Returns the first column that is computed.
JDIMENSION cropColumns(jpeg_decompress_struct& state, const JpegPart& part) {
  constexpr std::int64_t kSmoothedFrom = 8;
  if (isWholeWidth(state, part)) return 0;
  auto left = static_cast<JDIMENSION>(std::max<std::int64_t>(0, part.left - kSmoothedFrom));
  const auto right = static_cast<JDIMENSION>(
      std::min<std::int64_t>(state.output_width, part.left + part.width + kSmoothedFrom));
  JDIMENSION width = right - left;
  jpeg_crop_scanline(&state, &left, &width);
  return left;
}

void readRow(jpeg_decompress_struct& state, JSAMPROW row) {
  jpeg_read_scanlines(&state, &row, 1);
}

/// Rows below the part, for their damage alone: skipped to the last, which makes libjpeg read what
/// lies before it.
void readBelow(jpeg_decompress_struct& state, std::uint8_t* row) {
  if (state.output_scanline + 1 < state.output_height)
    jpeg_skip_scanlines(&state, state.output_height - 1 - state.output_scanline);
  if (state.output_scanline < state.output_height) readRow(state, row);
}

void readPart(jpeg_decompress_struct& state, const JpegTarget& target) {
  const JpegPart& part = target.part;
  const bool fourInks = state.out_color_space == JCS_CMYK;
  const bool straight = !fourInks && isWholeWidth(state, part);
  const JDIMENSION first = cropColumns(state, part);
  const std::size_t skipped = static_cast<std::size_t>(part.left - first);
  if (part.top > 0) jpeg_skip_scanlines(&state, static_cast<JDIMENSION>(part.top));
  std::uint8_t* out = target.pixels;
  for (std::int64_t y = 0; y < part.height; ++y, out += part.width * 3) {
    readRow(state, straight ? out : target.row);
    if (fourInks)
      cmykToRgb(target.row + 4 * skipped, out, static_cast<JDIMENSION>(part.width),
                state.saw_Adobe_marker != 0);
    else if (!straight)
      std::copy_n(target.row + 3 * skipped, part.width * 3, out);
  }
  readBelow(state, target.row);
}

bool decodeInto(std::string_view bytes, JpegTarget& target, JpegErrors& errors) {
  jpeg_decompress_struct state{};
  state.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = leave;
  errors.base.emit_message = onMessage;
  errors.base.output_message = saySilently;
  if (setjmp(errors.jump) != 0) {
    jpeg_destroy_decompress(&state);
    return false;
  }
  jpeg_create_decompress(&state);
  jpeg_mem_src(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&state, TRUE);
  target.sizeDiffers = state.image_width != target.width || state.image_height != target.height;
  if (!target.sizeDiffers) {
    state.out_color_space = state.num_components == 4 ? JCS_CMYK : JCS_RGB;
    state.scale_num = static_cast<unsigned>(target.part.eighths);
    state.scale_denom = 8;
    jpeg_start_decompress(&state);
    readPart(state, target);
    jpeg_finish_decompress(&state);
  }
  jpeg_destroy_decompress(&state);
  return true;
}

}  // namespace

JpegPart wholeJpeg(const ImageHeader& header, int eighths) {
  return {eighths, 0, 0, (header.width * eighths + 7) / 8, (header.height * eighths + 7) / 8};
}

Pixels decodeJpeg(std::string_view bytes, const ImageHeader& header) {
  return decodeJpegPart(bytes, header, wholeJpeg(header, 8));
}

Pixels decodeJpegPart(std::string_view bytes, const ImageHeader& header, const JpegPart& part) {
  Pixels pixels(static_cast<std::size_t>(part.width * part.height * 3));
  Pixels row(static_cast<std::size_t>(wholeJpeg(header, part.eighths).width * 4));
  JpegTarget target{pixels.data(), row.data(), header.width, header.height, part, false};
  JpegErrors errors{};
  if (!decodeInto(bytes, target, errors)) {
    const std::string said = errors.message;
    if (errors.unsupported)
      refuse(ErrorCode::UnsupportedFile, tr("is a JPEG of an unusual kind (") + said +
                                             tr("); save it as an ordinary 8-bit JPEG"));
    refuse(ErrorCode::InvalidFile,
           tr("is damaged or truncated (") + said + tr("); fetch or save the image again"));
  }
  if (target.sizeDiffers) requireSize(header, 0, 0);
  return pixels;
}

}  // namespace headlight
