// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Chooses a model: a published one, or one's own shape, with optional weights.

#include <QDialog>

#include <filesystem>

#include "core/config/Experiment.h"
#include "core/models/Registry.h"
#include "core/workbench/session/InferenceSession.h"

class QLabel;
class QLineEdit;
class QDialogButtonBox;

namespace headlight {

class Document;
class MessageLabel;
class ModelForm;
class ModelList;
class PathRow;

class ModelDialog : public QDialog {
  Q_OBJECT
 public:
  /// Begins with the document's model if that is published, else with a usual one.
  explicit ModelDialog(Document* document, QWidget* parent = nullptr);

  /// A published model as it is: open it by source(). Otherwise create experiment(), then load
  /// weights() if there are any.
  bool isPublished() const;
  ModelSource source() const;
  /// The document's Experiment (or a fresh one) with the chosen model, and the masks that fit it.
  Experiment experiment() const;
  std::filesystem::path weights() const;
  bool isValid() const { return m_valid; }

  void selectModel(const QString& name);  ///< a published name, or "custom"

 private:
  QWidget* makeList();
  QWidget* makeDetails();
  void begin();
  void filterList(const QString& text);
  void onSelected();
  void check();
  ModelCost costWithMasks() const;  ///< with those that the model will open with
  void describe();
  void chooseWeights();

  Document* m_document;
  QLineEdit* m_filter = nullptr;
  MessageLabel* m_noMatch = nullptr;
  QString m_filtered, m_before;  ///< the filter's words, and the choice before there were any
  ModelList* m_list = nullptr;
  QLabel* m_description = nullptr;
  QString m_chosenText;  ///< of what was chosen in the list, while it is as chosen
  QLabel* m_cost = nullptr;
  MessageLabel* m_error = nullptr;
  PathRow* m_weights = nullptr;
  ModelForm* m_form = nullptr;
  QDialogButtonBox* m_buttons = nullptr;
  ModelConfig m_model;
  ModelConfig m_own;  ///< the open model's; what one's own dimensions start from
  bool m_valid = false;
};

}  // namespace headlight
