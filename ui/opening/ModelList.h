// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The published models by family and paper, the usual ones first; one's own dimensions last.

#include <QTreeWidget>

namespace headlight {

struct ModelCost;
struct PublishedModel;

/// Parameters in millions and multiply-accumulates in 10⁹, as papers print them: "5.72 M",
/// "1,136 M", "0.281 G".
QString millionsText(double count);
QString billionsText(double count);
/// Of a published model with its own scheme.
ModelCost costWithScheme(const PublishedModel& model);

class ModelList : public QTreeWidget {
  Q_OBJECT
 public:
  explicit ModelList(QWidget* parent = nullptr);

  /// A published name or "custom"; empty where a family is marked, or nothing.
  QString chosen() const;
  /// What a marked family is called, with its paper; empty where a model is marked.
  QString family() const;
  void choose(const QString& name);  ///< among the usual ones where it is one

  /// Shows what has all these words and marks the first that has them in its name, before those
  /// that are only described by them. False: nothing has. Without words: as at first.
  bool filter(const QString& text);

 private:
  QTreeWidgetItem* addFamily(const QString& title, const QString& paper);
  void addModel(QTreeWidgetItem* family, const PublishedModel& model);
  QList<QTreeWidgetItem*> models() const;

  QTreeWidgetItem* m_common;
};

}  // namespace headlight
