// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edits of cells, an undo step each. Cells that cannot be masked are left out of all of them; where
// no other is meant, the document says why.

#include <QCoreApplication>

#include <functional>
#include <vector>

#include "core/masks/HeadMask.h"
#include "core/masks/HeadPlace.h"

namespace headlight {

class Document;

class CellEdits {
  Q_DECLARE_TR_FUNCTIONS(CellEdits)
 public:
  explicit CellEdits(Document* document) : m_document(document) {}

  bool isMaskable(const HeadPlace& cell) const;
  /// Whether all of them have `mask`.
  bool haveAll(const std::vector<HeadPlace>& cells, const HeadMask& mask) const;

  void setMask(const std::vector<HeadPlace>& cells, const HeadMask& mask);
  /// `brush`, or no mask where they all have it already.
  void toggle(const std::vector<HeadPlace>& cells, const HeadMask& brush);
  /// Window and α come from each cell, or from `brush` where the cell was unmasked.
  void setKind(const std::vector<HeadPlace>& cells, MaskKind kind, const HeadMask& brush);
  /// Sets the window of masked cells in patches: odd, at least 1. A window in pixels becomes one in
  /// patches, which the document says. `stroke`: as InferenceInputs::pushEdit.
  void setWindow(const std::vector<HeadPlace>& cells, int window, int stroke = -1);
  /// Sets the α that soft cells start from.
  void setAlpha(const std::vector<HeadPlace>& cells, double alpha, int stroke = -1);
  /// Sets γ of decays.
  void setGamma(const std::vector<HeadPlace>& cells, double gamma, int stroke = -1);
  /// Region and window of `mask`; its kind and α too where a cell's kind has no region.
  void setRegion(const std::vector<HeadPlace>& cells, const HeadMask& mask);
  /// Two patches a step from the first cell's window, in its unit, so that mixed windows become one.
  void changeWindow(const std::vector<HeadPlace>& cells, int steps);
  /// The soft masks among them forget the α they learned; `none` is said where none is soft.
  void resetAlphas(const std::vector<HeadPlace>& cells, const QString& none);

  /// The maskable ones of `cells`; reports nothing.
  std::vector<HeadPlace> keepMaskable(const std::vector<HeadPlace>& cells) const;
  /// Why cells cannot be masked, as a message of the document.
  void sayWhyNot() const;

 private:
  std::vector<HeadPlace> maskable(const std::vector<HeadPlace>& cells) const;
  void push(const std::vector<HeadPlace>& cells, const std::vector<HeadMask>& masks,
            const QString& label, int stroke = -1);
  const HeadMask& maskOf(const HeadPlace& cell) const;
  struct Window {
    int size = 3;
    bool inPixels = false;
  };
  static QString windowText(const Window& window);
  void pushOfKind(const std::vector<HeadPlace>& cells, MaskKind kind,
                  const std::function<void(HeadMask&)>& change, const QString& what, int stroke);
  void pushWindow(const std::vector<HeadPlace>& cells, const Window& window, int stroke);

  Document* m_document;
};

}  // namespace headlight
