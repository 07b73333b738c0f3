// SPDX-License-Identifier: GPL-3.0-or-later

// OptionalFormats.h: JPEG XL: the only file that knows libjxl.

#include <jxl/decode.h>

#include <memory>
#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/OptionalFormats.h"

namespace headlight {
namespace {

using Decoder = std::unique_ptr<JxlDecoder, void (*)(JxlDecoder*)>;

[[noreturn]] void refuseDamagedJxl() {
  refuse(ErrorCode::InvalidFile,
         tr("is a damaged or truncated JPEG XL image; fetch or save it again"));
}

/// All of the file is there: a decoder that asks for more has a truncated one. (Told that there is no
/// more, libjxl writes to the standard error.)
Decoder decoderFor(std::string_view bytes, int events) {
  Decoder decoder(JxlDecoderCreate(nullptr), JxlDecoderDestroy);
  if (!decoder) refuse(ErrorCode::Io, tr("needs more memory than there is"));
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  JxlDecoderSetUnpremultiplyAlpha(decoder.get(), JXL_TRUE);
  if (JxlDecoderSubscribeEvents(decoder.get(), events) != JXL_DEC_SUCCESS ||
      JxlDecoderSetInput(decoder.get(), data, bytes.size()) != JXL_DEC_SUCCESS)
    refuseDamagedJxl();
  return decoder;
}

/// The decoder stands behind it then.
JxlBasicInfo basicInfo(JxlDecoder* decoder) {
  JxlBasicInfo info{};
  if (JxlDecoderProcessInput(decoder) != JXL_DEC_BASIC_INFO ||
      JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS)
    refuseDamagedJxl();
  return info;
}

}  // namespace

bool readsJxl() {
  return true;
}

ImageHeader readJxlHeader(std::string_view bytes) {
  const Decoder decoder = decoderFor(bytes, JXL_DEC_BASIC_INFO);
  const JxlBasicInfo info = basicInfo(decoder.get());
  if (info.have_animation != 0)
    refuse(ErrorCode::UnsupportedFile, tr("is an animated JPEG XL; save one of its frames"));
  ImageHeader header;
  header.format = ImageFormat::Jxl;
  header.width = info.xsize;
  header.height = info.ysize;
  return header;
}

StoredPixels decodeJxl(std::string_view bytes, const ImageHeader& header) {
  const Decoder decoder = decoderFor(bytes, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE);
  const JxlBasicInfo info = basicInfo(decoder.get());
  requireSize(header, info.xsize, info.ysize);
  const JxlPixelFormat format{info.alpha_bits > 0 ? 4u : 3u, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  Pixels pixels(static_cast<std::size_t>(header.width * header.height) * format.num_channels);
  if (JxlDecoderProcessInput(decoder.get()) != JXL_DEC_NEED_IMAGE_OUT_BUFFER ||
      JxlDecoderSetImageOutBuffer(decoder.get(), &format, pixels.data(), pixels.size()) !=
          JXL_DEC_SUCCESS ||
      JxlDecoderProcessInput(decoder.get()) != JXL_DEC_FULL_IMAGE)
    refuseDamagedJxl();
  return info.alpha_bits > 0 ? withoutAlpha(pixels) : StoredPixels{std::move(pixels)};
}

}  // namespace headlight
