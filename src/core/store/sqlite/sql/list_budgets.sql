-- All of them, as the code of store/spending.hpp reads them.
SELECT set_by, name, budget, declared FROM workflow_budgets ORDER BY set_by, name
