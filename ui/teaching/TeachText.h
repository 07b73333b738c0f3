// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What teaching came to, in words.

#include <QString>

#include "core/workbench/adapt/Adapt.h"

namespace headlight {

/// "Linear probe 91.2 % (…), k-NN 88.0 % (…), on 200 held-out images of 10 classes".
QString taughtText(const AdaptReport& report);
/// What masks do: the same classifier, and one fitted again.
QString editText(const AdaptReport& taught, const AdaptReport& edited, const QString& masks);

}  // namespace headlight
