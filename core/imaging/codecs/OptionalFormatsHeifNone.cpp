// SPDX-License-Identifier: GPL-3.0-or-later

// OptionalFormats.h: HEIC and AVIF without libheif: they are named.

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/OptionalFormats.h"

namespace headlight {
namespace {

[[noreturn]] void refuseUnread() {
  refuse(
      ErrorCode::UnsupportedFile,
      tr("is a HEIC or AVIF image, and this program was built without libheif, which reads them; "
         "convert it to JPEG or PNG"));
}

}  // namespace

bool readsHeif() {
  return false;
}

ImageHeader readHeifHeader(std::string_view) {
  refuseUnread();
}

StoredPixels decodeHeif(std::string_view, const ImageHeader&) {
  refuseUnread();
}

}  // namespace headlight
