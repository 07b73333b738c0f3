// Of Decoders.h, JPEG: the only file that knows libjpeg.

#include <csetjmp>
#include <cstdio>
#include <string>

// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <jerror.h>

#include "core/imaging/Bytes.h"
#include "core/imaging/Decoders.h"

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
  std::uint8_t* pixels;  ///< width·height·3
  std::uint8_t* row;     ///< width·4, for CMYK
  std::int64_t width;
  std::int64_t height;
  bool sizeDiffers;
};

void readRows(jpeg_decompress_struct& state, const JpegTarget& target) {
  const bool fourInks = state.out_color_space == JCS_CMYK;
  while (state.output_scanline < state.output_height) {
    std::uint8_t* out =
        target.pixels + static_cast<std::size_t>(state.output_scanline) * state.output_width * 3;
    JSAMPROW row = fourInks ? target.row : out;
    if (jpeg_read_scanlines(&state, &row, 1) != 1) return;
    if (fourInks) cmykToRgb(target.row, out, state.output_width, state.saw_Adobe_marker != 0);
  }
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
    jpeg_start_decompress(&state);
    readRows(state, target);
    jpeg_finish_decompress(&state);
  }
  jpeg_destroy_decompress(&state);
  return true;
}

}  // namespace

Pixels decodeJpeg(std::string_view bytes, const ImageHeader& header) {
  Pixels pixels(static_cast<std::size_t>(header.width * header.height * 3));
  Pixels row(static_cast<std::size_t>(header.width * 4));
  JpegTarget target{pixels.data(), row.data(), header.width, header.height, false};
  JpegErrors errors{};
  if (!decodeInto(bytes, target, errors)) {
    const std::string said = errors.message;
    if (errors.unsupported)
      refuse(ErrorCode::UnsupportedFile,
             "is a JPEG of an unusual kind (" + said + "); save it as an ordinary 8-bit JPEG");
    refuse(ErrorCode::InvalidFile,
           "is damaged or truncated (" + said + "); fetch or save the picture again");
  }
  if (target.sizeDiffers) requireSize(header, 0, 0);
  return pixels;
}

}  // namespace headlight
