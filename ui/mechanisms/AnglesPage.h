// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The angular kernel beside other kernels over the angle, and where the picture's queries and keys
// lie on that axis.

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace headlight {

class AnglesBridge;
class Document;
class ModelWorker;
class MessageLabel;
class PanelsPlot;
struct AngleTable;

class AnglesPage : public QWidget {
  Q_OBJECT
 public:
  AnglesPage(const Document* document, AnglesBridge* bridge, QWidget* parent = nullptr);

  AnglesBridge* bridge() const { return m_bridge; }
  PanelsPlot* plot() const { return m_plot; }
  QString stateText() const;
  /// The figure, or its numbers, as headlight-cli angles writes them.
  void save(const QString& path, MessageLabel* status) const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// Of the picture that is shown; null where there is none (yet).
  const AngleTable* table() const;
  QString subject() const;
  void request();
  void refresh();

  const Document* m_document;
  AnglesBridge* m_bridge;
  QComboBox* m_pairs;
  QSpinBox* m_terms;
  QLabel* m_state;
  PanelsPlot* m_plot;
};

}  // namespace headlight
