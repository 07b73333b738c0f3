// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mask edit that the tour makes on request: one undo step, taken back at the end of the tour
// while it is the newest.

#include <QCoreApplication>

namespace headlight {

class Document;
class TrainingBridge;

class TourEdit {
  Q_DECLARE_TR_FUNCTIONS(TourEdit)
 public:
  TourEdit(Document* document, TrainingBridge* training);

  /// "Mask layer 3"; empty where no mask can be set, or during a run, which would get the edit.
  QString offer() const;
  void apply();
  void takeBack();
  /// The undo stack is another's now: there is nothing to take back.
  void forget() { m_index = 0; }

 private:
  /// In the middle: the last layer's patches are not read.
  int layer() const;

  Document* m_document;
  TrainingBridge* m_training;
  int m_index = 0;  ///< of the undo stack after the edit; 0: none
};

}  // namespace headlight
