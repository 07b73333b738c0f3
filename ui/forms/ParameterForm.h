// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A form built from a ParameterTable: an editor per parameter, help, what differs from the default,
// and errors beside the field. The same for every section of an Experiment; nothing by hand.

#include <QWidget>

#include <map>
#include <string>
#include <vector>

#include "core/config/Parameter.h"

class QGridLayout;
class QLabel;
class QLineEdit;

namespace headlight {

class ParameterField;

class ParameterForm : public QWidget {
  Q_OBJECT
 public:
  /// `path` is the section ("training"; "" for the top level), for messages. The table must outlive
  /// the form.
  ParameterForm(const ParameterTable& table, const QString& path, QWidget* parent = nullptr);

  /// Shows an object of the section; keys left out get their default, unknown ones are kept aside
  /// and come back from values().
  void setValues(const Json& object);
  /// The object. A field whose text is not a value of its type gives the text itself.
  Json values() const;
  /// What counts as unchanged; the table's defaults at first (a published model has others).
  void setDefaults(const Json& object);

  /// Shows the least value of a number as a word ("last" for -1), which may be typed. Once.
  void setMinimumText(const QString& name, const QString& text);

  /// One value, as if it had been in setValues.
  void setValue(const QString& name, const Json& value);

  bool isValid() const;       ///< every field by itself, and no error set from outside
  bool hasErrorHere() const;  ///< in a field that was not moved elsewhere
  /// "Epochs: must be …" of the first bad field; empty if valid.
  QString firstError() const;
  /// An error that no single field can know ("heads do not divide the width"); empty text clears
  /// it.
  void setError(const QString& name, const QString& text);
  void clearErrors();

  void setFilter(const QString& text);  ///< words in the name or the help
  void setFilterVisible(bool visible);
  /// These and no others; `why` joins their tips.
  void setReadOnlyFields(const std::vector<std::string>& names, const QString& why = {});
  /// These and no others. One whose text is no value gets its default: nobody can mend what is not
  /// seen.
  void hideFields(const std::vector<std::string>& names);
  void focusField(const QString& name);

  /// The editor of a parameter (a QCheckBox, NumberBox, QComboBox or QLineEdit), or null. Its
  /// objectName is "field." + name.
  QWidget* editor(const QString& name) const;
  QString errorOf(const QString& name) const;
  /// How many of its fields; those that were moved or are named do not count.
  int changedFromDefault(const std::vector<std::string>& others = {}) const;

  /// Shows a field in another grid, in two rows from `row` on, under another title. It stays part
  /// of the form; the filter leaves it alone.
  void moveField(const QString& name, QGridLayout* grid, int row, const QString& title);

 Q_SIGNALS:
  void changed();  ///< a value, by the person

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void onFieldChanged(ParameterField* field);
  void refreshVisibility();
  void showHelp(const ParameterField* field);
  ParameterField* field(const QString& name) const;
  bool isMoved(const ParameterField* field) const;

  const ParameterTable& m_table;
  std::vector<ParameterField*> m_fields;
  Json m_aside = Json::object();
  std::vector<std::string> m_hidden;
  std::vector<const ParameterField*> m_moved;
  QLineEdit* m_filter;
  QLabel* m_help;
  QLabel* m_nothing;
};

/// `json` with the values of forms, each by its section's key; "" is the top level.
Json withValues(Json json, const std::map<std::string, ParameterForm*>& forms);

}  // namespace headlight
