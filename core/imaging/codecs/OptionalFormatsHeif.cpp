// SPDX-License-Identifier: GPL-3.0-or-later

// OptionalFormats.h: HEIC and AVIF: the only file that knows libheif.

#include <libheif/heif.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/OptionalFormats.h"

namespace headlight {
namespace {

[[noreturn]] void refuseHeif(const heif_error& error) {
  const std::string why = error.message != nullptr ? error.message : "";
  // A decoder that is not installed: 1.23 says that its plugin could not be loaded.
  if (error.code == heif_error_Unsupported_filetype ||
      error.code == heif_error_Unsupported_feature || error.code == heif_error_Plugin_loading_error)
    refuse(ErrorCode::UnsupportedFile,
           tr("is a HEIC or AVIF image of a kind that libheif does not decode here (") + why +
               tr("); convert it to JPEG or PNG, or install libheif's decoders"));
  refuse(ErrorCode::InvalidFile, tr("is a damaged or truncated HEIC or AVIF image (") + why +
                                     tr("); fetch or save it again"));
}

void requireOk(const heif_error& error) {
  if (error.code != heif_error_Ok) refuseHeif(error);
}

/// The primary image of a file in memory, which must outlive it.
class HeifFile {
 public:
  explicit HeifFile(std::string_view bytes) : m_context(heif_context_alloc(), heif_context_free) {
    if (!m_context) refuse(ErrorCode::Io, tr("needs more memory than there is"));
    requireOk(heif_context_read_from_memory_without_copy(m_context.get(), bytes.data(),
                                                         bytes.size(), nullptr));
    heif_image_handle* handle = nullptr;
    requireOk(heif_context_get_primary_image_handle(m_context.get(), &handle));
    m_handle.reset(handle);
  }
  const heif_image_handle* handle() const { return m_handle.get(); }

 private:
  std::unique_ptr<heif_context, void (*)(heif_context*)> m_context;
  struct Release {
    void operator()(const heif_image_handle* handle) const { heif_image_handle_release(handle); }
  };
  std::unique_ptr<heif_image_handle, Release> m_handle;
};

struct ReleaseImage {
  void operator()(const heif_image* image) const { heif_image_release(image); }
};
using HeifImage = std::unique_ptr<heif_image, ReleaseImage>;

HeifImage decoded(const HeifFile& file, bool alpha) {
  const std::unique_ptr<heif_decoding_options, void (*)(heif_decoding_options*)> options(
      heif_decoding_options_alloc(), heif_decoding_options_free);
  options->convert_hdr_to_8bit = 1;
  heif_image* image = nullptr;
  requireOk(heif_decode_image(file.handle(), &image, heif_colorspace_RGB,
                              alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
                              options.get()));
  return HeifImage(image);
}

}  // namespace

bool readsHeif() {
  return true;
}

ImageHeader readHeifHeader(std::string_view bytes) {
  const HeifFile file(bytes);
  ImageHeader header;
  header.format = ImageFormat::Heif;
  header.width = heif_image_handle_get_width(file.handle());
  header.height = heif_image_handle_get_height(file.handle());
  return header;
}

StoredPixels decodeHeif(std::string_view bytes, const ImageHeader& header) {
  const HeifFile file(bytes);
  const bool alpha = heif_image_handle_has_alpha_channel(file.handle()) != 0;
  const HeifImage image = decoded(file, alpha);
  requireSize(header, heif_image_get_width(image.get(), heif_channel_interleaved),
              heif_image_get_height(image.get(), heif_channel_interleaved));
  int stride = 0;
  const std::uint8_t* plane =
      heif_image_get_plane_readonly(image.get(), heif_channel_interleaved, &stride);
  const int channels = alpha ? 4 : 3;
  if (plane == nullptr || stride < header.width * channels)
    refuse(ErrorCode::InvalidFile, tr("has no pixels; fetch or save it again"));
  const std::int64_t row = header.width * channels;
  Pixels pixels(static_cast<std::size_t>(header.height * row));
  for (std::int64_t y = 0; y < header.height; ++y)
    std::copy_n(plane + y * stride, row, pixels.data() + y * row);
  return alpha ? withoutAlpha(pixels) : StoredPixels{std::move(pixels)};
}

}  // namespace headlight
