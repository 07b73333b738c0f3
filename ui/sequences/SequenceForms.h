// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The settings of a sequence model's training, a tab for each of data, model, training and run.

#include <QTabWidget>

#include <map>
#include <string>
#include <vector>

#include "core/config/SequenceExperiment.h"

namespace headlight {

class ParameterForm;

class SequenceForms : public QTabWidget {
  Q_OBJECT
 public:
  explicit SequenceForms(const SequenceExperiment& start, QWidget* parent);

  /// `experiment` with the values of the fields; it may be invalid.
  Json settings(const SequenceExperiment& experiment) const;
  void showSettings(const Json& json);
  /// The error of the first invalid field, with its tab's title; empty: none.
  QString firstError() const;
  /// The run name as typed; empty if the field is invalid.
  Json name() const;

  void setImages(const QString& folder);  ///< as an image folder
  void setDataset(const std::string& kind);
  void setTextFile(const QString& path);
  void setStartWeights(const QString& path);

  /// Hides the fields that the chosen data and mechanism do not use.
  void hideIdleFields();
  void setLocked(bool locked);

 Q_SIGNALS:
  void changed();
  void runChanged();  ///< after changed(): the run name or seed
  void imagesWanted();
  void textFileWanted();
  void startWeightsWanted();

 private:
  QWidget* makeDataTab();
  QWidget* makeTrainingTab();
  ParameterForm* addForm(const std::string& key);

  SequenceExperiment m_start;
  std::map<std::string, ParameterForm*> m_forms;
  std::vector<QWidget*> m_buttons;
};

}  // namespace headlight
