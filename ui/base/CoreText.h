// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text from core as the window shows it. Its catalog is core's (core/base/Translation.h), so
// its literals need tr() there. Qt's translators see it too, in the context "Core".

#include <QString>

#include <string>

namespace headlight {

/// `text` in the language of the window; English where no catalog has it.
QString coreText(const std::string& text);

}  // namespace headlight
