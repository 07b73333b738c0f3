// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/CoreText.h"

#include <QCoreApplication>

#include "core/base/Translation.h"

namespace headlight {

QString coreText(const std::string& text) {
  if (text.empty()) return {};
  return QCoreApplication::translate("Core", translated(text).c_str());
}

}  // namespace headlight
