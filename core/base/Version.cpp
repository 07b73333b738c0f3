// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Version.h"

namespace headlight {

const char* const kVersion = HEADLIGHT_VERSION;

}  // namespace headlight
