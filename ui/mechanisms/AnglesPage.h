// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The angular kernel and other kernels by angle, and the angles between the image's queries and
// keys.

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
  /// Writes the figure or its numbers, like headlight-cli angles.
  void save(const QString& path, MessageLabel* status) const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// The result for the image shown; null: none yet.
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
