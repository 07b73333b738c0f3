// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the tour says about the model, image and masks that are open: their names and numbers. Each
// is two or three sentences, and true of any model or none.

#include <QString>

#include <optional>

#include "ui/document/Document.h"

namespace headlight {

/// The patch that the shown head attends to most from the shown token.
struct BrightestPatch {
  int patch = 0;      ///< of the layer's grid, by rows
  Grid grid;          ///< of that layer
  double value = 0;   ///< its attention
  double chance = 0;  ///< with uniform attention over all tokens; 0: they are not all in sight
};
/// Nothing without attention maps, or while a learned map is shown.
std::optional<BrightestPatch> findBrightest(const Document& document);

/// "striped disc 91.0 %"; empty without classes or a result.
QString topClassText(const InferenceResult* inference);

QString tokenStepText(const Document& document);
QString headsStepText(const Document& document);
QString masksStepText(const Document& document);
/// `run`: the name of the run in progress; empty: none.
QString trainStepText(const Document& document, const QString& run);
QString compareStepText(const Document& left, const Document& right);

}  // namespace headlight
