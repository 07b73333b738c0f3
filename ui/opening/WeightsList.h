// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The published weights as a list with a search field: what they are called, how large they are,
// whose license they have, and which are here already.

#include <QWidget>

#include <set>
#include <string>
#include <vector>

#include "core/workbench/hub/PublishedWeights.h"

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace headlight {

class MessageLabel;

class WeightsList : public QWidget {
  Q_OBJECT
 public:
  explicit WeightsList(QWidget* parent = nullptr);

  /// Null where nothing is chosen.
  const PublishedWeights* current() const;
  void select(const QString& name);
  void search(const QString& words);
  /// The names of those that are on this computer.
  void setHere(const std::set<std::string>& names);
  bool isHere(const PublishedWeights& weights) const { return m_here.contains(weights.name); }

 Q_SIGNALS:
  void currentChanged();
  void activated();  ///< by Enter or a double click

 private:
  QTreeWidgetItem* addRow(const PublishedWeights& weights);
  void showOther(const QString& text);
  void filter(const QString& text);
  void markHere();

  std::vector<PublishedWeights> m_weights;  ///< by row; the last: one that is not listed
  std::set<std::string> m_here;
  QLineEdit* m_search;
  MessageLabel* m_noMatch;
  QTreeWidget* m_list;
};

}  // namespace headlight
