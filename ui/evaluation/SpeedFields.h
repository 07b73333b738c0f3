// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which models are measured for speed, with which mechanisms, batch sizes and precision.

#include <QWidget>

#include <vector>

#include "core/workbench/bench/Bench.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListWidget;
class QSpinBox;

namespace headlight {

class Document;

class SpeedFields : public QWidget {
  Q_OBJECT
 public:
  SpeedFields(const Document* document, QWidget* parent = nullptr);

  /// From the fields. Nothing chosen, or a batch size that is no number: the reason, in words.
  Result<BenchOptions> options() const;
  /// For the page of parts there is no checkpointing: blocks computed again have none of their own.
  void setForParts(bool parts);

 Q_SIGNALS:
  void changed();

 private:
  QWidget* makeModels();
  QWidget* makeMechanisms();
  QWidget* makeNumbers();
  void showOpenModel();
  void filterModels(const QString& text);
  Result<std::vector<std::int64_t>> batches() const;

  const Document* m_document;
  QLineEdit* m_filter = nullptr;
  QListWidget *m_models = nullptr, *m_mechanisms = nullptr;
  QLineEdit* m_batches = nullptr;
  QComboBox *m_precision = nullptr, *m_device = nullptr;
  QSpinBox* m_repeats = nullptr;
  QCheckBox* m_recompute = nullptr;
};

}  // namespace headlight
