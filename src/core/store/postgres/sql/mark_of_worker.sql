SELECT mark FROM belay_workers WHERE name = $1
