// SPDX-License-Identifier: GPL-3.0-or-later

// OptionalFormats.h: JPEG XL without libjxl: it is named.

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/OptionalFormats.h"

namespace headlight {
namespace {

[[noreturn]] void refuseUnread() {
  refuse(ErrorCode::UnsupportedFile,
         tr("is a JPEG XL image, and this program was built without libjxl, which reads them; "
            "convert it to JPEG or PNG"));
}

}  // namespace

bool readsJxl() {
  return false;
}

ImageHeader readJxlHeader(std::string_view) {
  refuseUnread();
}

StoredPixels decodeJxl(std::string_view, const ImageHeader&) {
  refuseUnread();
}

}  // namespace headlight
