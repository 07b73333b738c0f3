// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Selecting heads by their number: all of them sorted, and a bound to type ("below 0.2"); what is
// chosen becomes the matrix' selection, to be masked.

#include <QDialog>

#include <vector>

#include "core/masks/HeadPlace.h"
#include "ui/document/DisplayedHeadNumbers.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QTableWidget;

namespace headlight {

class Document;

class HeadSelectDialog : public QDialog {
  Q_OBJECT
 public:
  explicit HeadSelectDialog(const Document& document, QWidget* parent = nullptr);
  std::vector<HeadPlace> heads() const;  ///< that are chosen

 private:
  void fill(const Document& document);
  void selectByBound();
  void refresh();

  struct Entry {
    HeadPlace place;
    double value;
  };
  std::vector<Entry> m_entries;  ///< a row each, the largest value first
  QComboBox* m_order;
  QDoubleSpinBox* m_bound;
  QTableWidget* m_table;
  QLabel* m_count;
};

}  // namespace headlight
