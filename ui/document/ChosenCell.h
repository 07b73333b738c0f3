// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The box of a detector that a person chose by its label.

namespace headlight {

class Document;

/// The cell that found it (ExplanationChoice::cell), if the image that is shown has its box; else
/// −1.
int chosenCell(const Document& document);

}  // namespace headlight
